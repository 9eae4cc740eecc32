// Package vectors has certified test vectors for differential-privacy noise.
package vectors

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
)

// Edition is the data, a line for each function, vector and refusal.
//
//go:embed edition.tsv
var Edition string

// Inputs has the numbers by name; Names has what is no number, such as a neighbouring relation.
type Inputs struct {
	Numbers map[string]float64
	Names   map[string]string
}

// Vector is an input with its proved answer.
type Vector struct {
	ID             string
	Inputs         Inputs
	Safe, Relative float64
	Low, High      string
	Flags          []string
	RoundsUp       bool
}

// Refusal is an input that must be refused.
type Refusal struct {
	ID       string
	Inputs   Inputs
	Argument string
}

// File has the vectors of one function.
type File struct {
	Function, Harm string
	RoundsUp       bool
	Vectors        []Vector
	Refusals       []Refusal
}

// FromBits returns the float64 with these 16 hexadecimal digits.
func FromBits(digits string) (float64, bool) {
	bits, err := strconv.ParseUint(digits, 16, 64)
	return math.Float64frombits(bits), err == nil && len(digits) == 16
}

func inputs(text string) Inputs {
	read := Inputs{map[string]float64{}, map[string]string{}}
	for _, each := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(each, "=")
		if number, ok := FromBits(value); ok {
			read.Numbers[name] = number
		} else {
			read.Names[name] = value
		}
	}
	return read
}

// Load returns all functions by name.
func Load() map[string]*File {
	all := map[string]*File{}
	var file *File
	for _, line := range strings.Split(strings.TrimSpace(Edition), "\n") {
		c := strings.Split(line, "\t")
		switch c[0] {
		case "F":
			file = &File{Function: c[1], RoundsUp: c[2] == "up", Harm: c[3]}
			all[c[1]] = file
		case "V":
			safe, _ := FromBits(c[3])
			relative, _ := FromBits(c[4])
			file.Vectors = append(file.Vectors, Vector{c[1], inputs(c[2]), safe, relative, c[5], c[6],
				strings.Split(c[7], ","), file.RoundsUp})
		default:
			file.Refusals = append(file.Refusals, Refusal{c[1], inputs(c[2]), c[3]})
		}
	}
	return all
}

// Judge grades an answer.
func (v Vector) Judge(answer float64) string {
	sign := -1.0
	if v.RoundsUp {
		sign = 1
	}
	switch {
	case answer == v.Safe:
		return "exact"
	case math.IsNaN(answer) || math.IsInf(answer, 0):
		return "no-answer"
	case sign*answer < sign*v.Safe:
		return "violating"
	}
	size := math.Abs(v.Safe)
	unit := math.Max(size*0x1p-52, math.SmallestNonzeroFloat64)
	if math.Abs(answer-v.Safe) <= math.Max(4*unit, v.Relative*size) {
		return "acceptable"
	}
	return "conservative"
}
