<?php
// A runner: put your function in the place of `sigma`. SAMPLE=faulty shows how a fault is found.
declare(strict_types=1);

require_once __DIR__ . "/../src/Vectors.php";

use Dporacle\Vectors;
use PHPUnit\Framework\TestCase;

final class SampleTest extends TestCase
{
    private static function sigma(float $delta, float $sensitivity): float
    {
        if (!($delta > 0 && $delta < 1 && $sensitivity > 0 && $sensitivity < INF)) {
            throw new DomainException("delta or sensitivity is not in its domain");
        }
        $nearest = $sensitivity / (2 * $delta);
        return getenv("SAMPLE") === "faulty" ? $nearest : self::above($nearest);
    }

    private static function above(float $x): float
    {
        return $x === INF ? $x : unpack("E", pack("J", unpack("J", pack("E", $x))[1] + 1))[1];
    }

    public function testPinskerSigma(): void
    {
        $file = Vectors::load()["pinsker_sigma"];
        $wrong = [];
        foreach ($file["vectors"] as $vector) {
            $grade = Vectors::judge($vector, self::sigma(...$vector["inputs"]));
            if (in_array($grade, ["violating", "no-answer"], true)) {
                $wrong[] = "{$vector["id"]}: $grade: {$file["harm"]}";
            }
        }
        $this->assertSame([], $wrong);
        foreach ($file["refusals"] as $refusal) {
            try {
                self::sigma(...$refusal["inputs"]);
                $this->fail("{$refusal["id"]} is not refused");
            } catch (DomainException) {
            }
        }
    }

    public function testNoNumberIsRounded(): void
    {
        preg_match_all("/(?<=[\t=])(?!7ff8)[0-9a-f]{16}(?=[\t,])/", Vectors::edition(), $found);
        foreach ($found[0] as $digits) {
            if (Vectors::toBits(Vectors::fromBits($digits)) !== $digits) {
                $this->fail($digits);
            }
        }
        $this->assertGreaterThan(1000, count($found[0]));
    }
}
