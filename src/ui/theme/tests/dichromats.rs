//! Themes as people see them who see fewer colours.

use super::*;

/// Returns a colour as it looks without the cones for red (protanopia) or green (deuteranopia): Machado, Oliveira and Fernandes, 2009.
const DICHROMATS: [[[f64; 3]; 3]; 2] = [
    [
        [0.152_286, 1.052_583, -0.204_868],
        [0.114_503, 0.786_281, 0.099_216],
        [-0.003_882, -0.048_116, 1.051_998],
    ],
    [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ],
];

/// Lightness, green to red, blue to yellow (CIE 1976), as seen through a matrix.
pub(super) fn seen(color: Rgb, eye: &[[f64; 3]; 3]) -> [f64; 3] {
    let light = [linear(color.0), linear(color.1), linear(color.2)];
    let dot = |row: &[f64; 3]| row.iter().zip(light).map(|(a, b)| a * b).sum::<f64>();
    let [red, green, blue] = eye.map(|row| dot(&row).clamp(0.0, 1.0));
    let x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047;
    let y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    let z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883;
    let root = |part: f64| {
        if part > 0.008_856 {
            part.cbrt()
        } else {
            7.787 * part + 16.0 / 116.0
        }
    };
    let (x, y, z) = (root(x), root(y), root(z));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The two states that look most alike, and their distance; below 2.3 no difference is visible.
fn most_alike(theme: &Theme) -> (f64, StyleRole, StyleRole) {
    let mut worst = (f64::MAX, StyleRole::Text, StyleRole::Text);
    for eye in &DICHROMATS {
        for (at, one) in STATES.iter().enumerate() {
            for other in STATES.iter().skip(at + 1) {
                let colour = |role: &StyleRole| seen(rgb(theme.style(*role).fg), eye);
                let parts = colour(one).into_iter().zip(colour(other));
                let apart = parts.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                if apart < worst.0 {
                    worst = (apart, *one, *other);
                }
            }
        }
    }
    worst
}

#[test]
fn in_the_colour_blind_themes_every_state_looks_different_without_red_or_green() {
    for name in ["colour-blind-dark", "colour-blind-light"] {
        let (apart, one, other) = most_alike(&theme(name, ColourDepth::True, None));
        assert!(
            apart >= 12.0,
            "{name}: {one:?} and {other:?} are only {apart:.1} apart"
        );
    }
    let (apart, ..) = most_alike(&theme("dark", ColourDepth::True, None));
    assert!(
        apart < 12.0,
        "the ordinary theme would pass, so the measure says nothing"
    );
}
