module dporacle.invalid/vectors

go 1.19
