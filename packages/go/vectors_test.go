package vectors_test

// A runner: put your function in the place of sigma. SAMPLE=faulty shows how a fault is found.

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"dporacle.invalid/vectors"
)

func sigma(inputs vectors.Inputs) (float64, error) {
	delta, sensitivity := inputs.Numbers["delta"], inputs.Numbers["sensitivity"]
	if !(delta > 0 && delta < 1 && sensitivity > 0 && sensitivity < math.Inf(1)) {
		return 0, fmt.Errorf("delta or sensitivity is not in its domain")
	}
	nearest := sensitivity / (2 * delta)
	if os.Getenv("SAMPLE") == "faulty" {
		return nearest, nil
	}
	return math.Nextafter(nearest, math.Inf(1)), nil
}

func TestPinskerSigma(t *testing.T) {
	file := vectors.Load()["pinsker_sigma"]
	for _, vector := range file.Vectors {
		answer, err := sigma(vector.Inputs)
		if grade := vector.Judge(answer); err != nil || grade == "violating" || grade == "no-answer" {
			t.Errorf("%s: %s: %s", vector.ID, grade, file.Harm)
		}
	}
	for _, refusal := range file.Refusals {
		if _, err := sigma(refusal.Inputs); err == nil {
			t.Errorf("%s is not refused", refusal.ID)
		}
	}
}

func TestNoNumberIsRounded(t *testing.T) {
	all, next := vectors.Load(), 0
	var file *vectors.File
	for _, line := range strings.Split(vectors.Edition, "\n") {
		cells := strings.Split(line, "\t")
		switch cells[0] {
		case "F":
			file, next = all[cells[1]], 0
		case "V":
			vector := file.Vectors[next]
			next++
			read := []string{vector.ID, cells[2], fmt.Sprintf("%016x", math.Float64bits(vector.Safe)),
				fmt.Sprintf("%016x", math.Float64bits(vector.Relative)), vector.Low, vector.High}
			if strings.Join(read, "\t") != strings.Join(cells[1:7], "\t") {
				t.Errorf("%q is read as %q", cells[1:7], read)
			}
			for _, pair := range strings.Split(cells[2], ",") {
				name, value, _ := strings.Cut(pair, "=")
				number, isNumber := vector.Inputs.Numbers[name]
				if isNumber && fmt.Sprintf("%016x", math.Float64bits(number)) != value {
					t.Errorf("%s: %s", vector.ID, pair)
				}
			}
		}
	}
}
