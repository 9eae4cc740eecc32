"""opacus (Meta): the noise that its optimizers add to a sum of gradients, on PyTorch.

| sampler | law | mapping |
|---|---|---|
| optimizers.optimizer._generate_noise, a float64 reference | gaussian | std is σ |
| the same, secure_mode | gaussian | |
| the same, a float32 reference, as models mostly have | gaussian | |
| the same, secure_mode, a float32 reference | gaussian | |

A release is the value plus the noise, in the reference's precision, as the optimizer adds them.
"""

import torch
from opacus.optimizers.optimizer import _generate_noise

DISTRIBUTION = "opacus"


def _sampler(dtype, secure):
    def made(sigma):
        def draw(value, rows, dimension):
            reference = torch.full((rows, dimension), value, dtype=dtype)
            noise = _generate_noise(std=sigma, reference=reference, secure_mode=secure)
            return (reference + noise).double().flatten().tolist()

        return draw

    return made


SAMPLERS = {
    "_generate_noise": ("gaussian", _sampler(torch.float64, secure=False)),
    "_generate_noise, secure_mode": ("gaussian", _sampler(torch.float64, secure=True)),
    "_generate_noise, float32": ("gaussian", _sampler(torch.float32, secure=False)),
    "_generate_noise, secure_mode, float32": ("gaussian", _sampler(torch.float32, secure=True)),
}
