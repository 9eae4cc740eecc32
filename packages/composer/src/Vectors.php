<?php
declare(strict_types=1);

namespace Dporacle;

/** Certified vectors: exact inputs, proved answers, and the side on which an answer does harm. */
final class Vectors
{
    /** The float64 with these 16 hexadecimal digits. */
    public static function fromBits(string $digits): float
    {
        return unpack("E", hex2bin($digits))[1];
    }

    public static function toBits(float $number): string
    {
        return bin2hex(pack("E", $number));
    }

    public static function edition(): string
    {
        return file_get_contents(__DIR__ . "/edition.tsv");
    }

    /** All functions by name, each with rounding, harm, vectors and refusals. */
    public static function load(): array
    {
        $all = [];
        $name = "";
        foreach (explode("\n", rtrim(self::edition(), "\n")) as $line) {
            $cells = explode("\t", $line);
            if ($cells[0] === "F") {
                [, $name, $rounding, $harm] = $cells;
                $all[$name] = compact("rounding", "harm") + ["vectors" => [], "refusals" => []];
            } elseif ($cells[0] === "V") {
                [, $id, $given, $safe, $relative, $low, $high, $flags] = $cells;
                $all[$name]["vectors"][] = [
                    "id" => $id, "inputs" => self::inputs($given), "safe" => self::fromBits($safe),
                    "relative" => self::fromBits($relative), "low" => $low, "high" => $high,
                    "flags" => explode(",", $flags), "rounding" => $all[$name]["rounding"],
                ];
            } else {
                [, $id, $given, $argument] = $cells;
                $all[$name]["refusals"][] = ["id" => $id, "inputs" => self::inputs($given), "argument" => $argument];
            }
        }
        return $all;
    }

    /** Grade an answer to a vector. */
    public static function judge(array $vector, float $answer): string
    {
        $safe = $vector["safe"];
        $sign = $vector["rounding"] === "up" ? 1 : -1;
        if ($answer === $safe) {
            return "exact";
        }
        if (!is_finite($answer)) {
            return "no-answer";
        }
        if ($sign * $answer < $sign * $safe) {
            return "violating";
        }
        $unit = max(abs($safe) * PHP_FLOAT_EPSILON, 5e-324);
        $most = max(4 * $unit, $vector["relative"] * abs($safe));
        return abs($answer - $safe) <= $most ? "acceptable" : "conservative";
    }

    private static function inputs(string $text): array
    {
        $inputs = [];
        foreach (explode(",", $text) as $pair) {
            [$name, $value] = explode("=", $pair);
            $inputs[$name] = preg_match("/^[0-9a-f]{16}$/", $value) ? self::fromBits($value) : $value;
        }
        return $inputs;
    }
}
