//! Colours for terminals that show fewer: the nearest of 256, of 16, none. Knows nothing of roles.

use ratatui::style::{Color, Modifier, Style};

use crate::display::ColourDepth;
use crate::term::{ColorPalette as Table, Rgb};

/// Returns a style with the colours of that palette.
pub(super) fn fit_style(style: Style, palette: ColourDepth) -> Style {
    match palette {
        ColourDepth::True => style,
        ColourDepth::Mono => without_colour(style),
        ColourDepth::Sixteen | ColourDepth::Indexed => Style {
            fg: style.fg.map(|color| nearest(color, palette)),
            bg: style.bg.map(|color| nearest(color, palette)),
            underline_color: style.underline_color.map(|color| nearest(color, palette)),
            ..style
        },
    }
}

/// Returns the style of a role; text never gets the colour of its background, however few colours there are.
pub(super) fn fit_style_on(style: Style, ground: Option<Color>, palette: ColourDepth) -> Style {
    let mut fitted = fit_style(style, palette);
    let below = style.bg.or(ground).map(|color| nearest(color, palette));
    if let (Some(text), Some(below)) = (fitted.fg, below)
        && text == below
        && let Some(rgb) = rgb_of(below)
    {
        fitted.fg = Some(Color::Indexed(if luminance(rgb) < 0.18 { 15 } else { 0 }));
    }
    fitted
}

/// Returns a style without colours. A background becomes reverse, unless the text had a colour too: then it stays readable.
fn without_colour(style: Style) -> Style {
    let mut plain = Style::default().add_modifier(style.add_modifier);
    if style.bg.is_some() && style.fg.is_none() {
        plain = plain.add_modifier(Modifier::REVERSED);
    }
    plain
}

fn nearest(color: Color, palette: ColourDepth) -> Color {
    let most: u8 = match palette {
        ColourDepth::Mono | ColourDepth::True => return color,
        ColourDepth::Sixteen => 15,
        ColourDepth::Indexed => 255,
    };
    match color {
        // Colours of the table already follow the person's own colours.
        Color::Indexed(index) if index <= most => color,
        Color::Rgb(..) | Color::Indexed(_) => rgb_of(color).map_or(color, |rgb| closest(rgb, most)),
        _ => color,
    }
}

/// Returns the closest entry of the table. Of 256, the first 16 are left out: people change them.
fn closest(rgb: Rgb, most: u8) -> Color {
    let table = Table::default();
    let near = |index: &u8| distance(rgb, table.indexed(*index));
    let closest = if most > 15 {
        likely(rgb).min_by_key(near)
    } else {
        (0..=most).min_by_key(near)
    };
    Color::Indexed(closest.unwrap_or(0))
}

/// Returns the entries from 16 on that include the closest one: the corners of the cube around the colour and all greys. Every coloured
/// cell of every frame needs this, so not all 240 are compared.
fn likely((red, green, blue): Rgb) -> impl Iterator<Item = u8> {
    let [red, green, blue] = [red, green, blue].map(steps);
    let corners = (0..8).map(move |corner| {
        let of = |steps: (u8, u8), bit: u8| if corner & bit == 0 { steps.0 } else { steps.1 };
        16 + 36 * of(red, 4) + 6 * of(green, 2) + of(blue, 1)
    });
    corners.chain(232..=255)
}

/// Returns the steps of the cube's side below and above a part of a colour.
fn steps(part: u8) -> (u8, u8) {
    let below = if part < 95 { 0 } else { (part - 55) / 40 };
    (below, (below + 1).min(5))
}

/// Returns the visible distance of two colours: red, green and blue roughly weighted as by the eye.
fn distance(one: Rgb, other: Rgb) -> u64 {
    let square = |a: u8, b: u8| u64::from(a.abs_diff(b)).pow(2);
    let red = u64::midpoint(u64::from(one.0), u64::from(other.0));
    (512 + red) * square(one.0, other.0)
        + 1024 * square(one.1, other.1)
        + (767 - red) * square(one.2, other.2)
}

/// Returns red, green and blue of a colour, by the usual table if it is an entry of that.
pub(super) fn rgb_of(color: Color) -> Option<Rgb> {
    match color {
        Color::Rgb(red, green, blue) => Some((red, green, blue)),
        Color::Indexed(index) => Some(Table::default().indexed(index)),
        _ => None,
    }
}

/// Returns the luminance of a colour, from 0 to 1 (WCAG 2).
pub(super) fn luminance((red, green, blue): Rgb) -> f64 {
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// Returns the light of one part of a colour, from 0 to 1.
pub(super) fn linear(part: u8) -> f64 {
    let part = f64::from(part) / 255.0;
    if part <= 0.040_45 {
        part / 12.92
    } else {
        ((part + 0.055) / 1.055).powf(2.4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_of_256_colours_is_found_without_looking_at_all() {
        let table = Table::default();
        let parts = || (0..=255u8).step_by(15);
        for rgb in
            parts().flat_map(|red| parts().flat_map(move |green| parts().map(move |blue| (red, green, blue))))
        {
            let Color::Indexed(found) = closest(rgb, 255) else {
                panic!("{rgb:?} has no closest colour");
            };
            let best = (16..=255).map(|index| distance(rgb, table.indexed(index))).min();
            assert_eq!(Some(distance(rgb, table.indexed(found))), best, "{rgb:?}");
        }
    }
}
