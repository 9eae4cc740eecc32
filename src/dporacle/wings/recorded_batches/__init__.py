"""Which sampling schemes a recorded sequence of training batches refutes.

A scheme is refuted in one of two ways. It is *impossible* where it cannot give these batches at
all: shuffled batches never hold a record twice in one epoch. Otherwise an e-value against it is
large: a mean, with weights that do not depend on the batches, of likelihood ratios of other laws to
it and of bets that do not win in the mean if the scheme was used. So it is above 1/a with
probability at most a (Markov's inequality). A scheme with an unknown rate is given the rate under
which the batches are likeliest, so that the ratio only gets smaller.

A scheme that is not refuted need not be the one that was used: `power` says what would have been
found in so many batches, and what no recording shows. The proofs are in
proofs_notes/drawn_batches.md.

Batches are sets of records: the order inside a batch does not count.
"""
