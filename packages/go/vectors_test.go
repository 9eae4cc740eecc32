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
	count := 0
	for _, file := range vectors.Load() {
		for _, vector := range file.Vectors {
			if count++; count%37 != 0 {
				continue
			}
			cells := fmt.Sprintf("\t%016x\t%016x\t%s\t%s\t", math.Float64bits(vector.Safe),
				math.Float64bits(vector.Relative), vector.Low, vector.High)
			if !strings.Contains(vectors.Edition, cells) {
				t.Errorf("%s: %q", vector.ID, cells)
			}
			for name, value := range vector.Inputs.Numbers {
				if cell := fmt.Sprintf("%s=%016x", name, math.Float64bits(value)); !strings.Contains(vectors.Edition, cell) {
					t.Errorf("%s: %s", vector.ID, cell)
				}
			}
		}
	}
}
