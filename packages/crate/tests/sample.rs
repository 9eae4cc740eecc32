// A runner: put your function in the place of `sigma`. SAMPLE=faulty shows how a fault is found.
use dporacle_vectors::{load, number, Grade, Input, EDITION};

fn sigma(inputs: &[(String, Input)]) -> Option<f64> {
    let delta = number(inputs, "delta").filter(|x| *x > 0.0 && *x < 1.0)?;
    let sensitivity = number(inputs, "sensitivity").filter(|x| *x > 0.0 && x.is_finite())?;
    let nearest = sensitivity / (2.0 * delta);
    let faulty = std::env::var("SAMPLE").is_ok_and(|sample| sample == "faulty");
    let kept = faulty || nearest.is_infinite();
    Some(if kept { nearest } else { f64::from_bits(nearest.to_bits() + 1) })
}

#[test]
fn pinsker_sigma_is_on_the_safe_side() {
    let all = load();
    let file = all.iter().find(|file| file.function == "pinsker_sigma").unwrap();
    for vector in &file.vectors {
        let grade = vector.judge(sigma(&vector.inputs).unwrap());
        let bad = matches!(grade, Grade::Violating | Grade::NoAnswer);
        assert!(!bad, "{}: {grade:?}: {}", vector.id, file.harm);
    }
    for refusal in &file.refusals {
        assert!(sigma(&refusal.inputs).is_none(), "{}", refusal.id);
    }
}

#[test]
fn no_number_is_rounded() {
    let stands = |name: &str, x: f64| x.is_nan() || EDITION.contains(&format!("{name}{:016x}", x.to_bits()));
    for vector in load().iter().flat_map(|file| &file.vectors).step_by(37) {
        assert!(stands("\t", vector.safe) && stands("\t", vector.relative));
        for (name, input) in &vector.inputs {
            assert!(!matches!(input, Input::Number(x) if !stands(&format!("{name}="), *x)));
        }
    }
}
