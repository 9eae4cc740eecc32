"""Which sampling schemes a recorded sequence of training batches is compatible with.

A scheme is refuted in one of two ways. It is *impossible* where it cannot give these batches at
all: shuffled batches never hold a record twice in one epoch. Otherwise the batches are set against
other schemes by their likelihood. If S is the scheme that was used, the ratio of a mixture of
other schemes to S exceeds 1/a with probability at most a (Markov's inequality; the ratio has mean
1, or less where the batches can be impossible for S's rivals). A scheme with an unknown rate is
given the rate under which the batches are likeliest, so that the ratio only gets smaller.

Batches are sets of records: the order inside a batch does not count.
"""
