//! Style sequences in the form an emulator reads correctly. Must only be used for one that lacks the common form: an old one would take the
//! parameters of an underline colour for attributes.

/// Returns the parameters in a form such an emulator reads correctly; `None` if nothing is left.
pub(super) fn plain(parameters: &[u8]) -> Option<Vec<u8>> {
    if parameters.is_empty() {
        return Some(Vec::new());
    }
    let mut out: Vec<u8> = Vec::with_capacity(parameters.len());
    let mut groups = parameters.split(|&byte| byte == b';');
    while let Some(group) = groups.next() {
        match group {
            b"58" => skip_color(&mut groups),
            b"4:0" => push(&mut out, b"24"),
            b"21" | [b'4', b':', ..] => push(&mut out, b"4"),
            [b'5', b'8', b':', ..] => {}
            // `38:2::r:g:b` names a colour space, empty as a rule.
            [b'3' | b'4', b'8', b':', b'2', b':', ..] => push(&mut out, &without_color_space(group)),
            group => push(&mut out, group),
        }
    }
    (!out.is_empty()).then_some(out)
}

/// Returns the parameters with 21 in its colon form, which has one meaning only.
pub(super) fn with_double_underline(parameters: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(parameters.len() + 2);
    let mut groups = parameters.split(|&byte| byte == b';');
    while let Some(group) = groups.next() {
        push(&mut out, if group == b"21" { b"4:2" } else { group });
        if matches!(group, b"38" | b"48" | b"58") {
            // The next parameters belong to a colour, whatever they look like.
            let kind = groups.next();
            let count = match kind {
                Some(b"2") => 3,
                Some(b"5") => 1,
                _ => 0,
            };
            kind.into_iter()
                .chain(groups.by_ref().take(count))
                .for_each(|part| push(&mut out, part));
        }
    }
    out
}

fn push(out: &mut Vec<u8>, group: &[u8]) {
    if !out.is_empty() {
        out.push(b';');
    }
    // An empty parameter is 0, which would vanish at the end.
    out.extend_from_slice(if group.is_empty() { b"0" } else { group });
}

fn skip_color<'a>(groups: &mut impl Iterator<Item = &'a [u8]>) {
    let count = match groups.next() {
        Some(b"2") => 3,
        Some(b"5") => 1,
        _ => 0,
    };
    groups.take(count).for_each(drop);
}

fn without_color_space(group: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = group.split(|&byte| byte == b':').collect();
    match parts.as_slice() {
        [kind, two, _, red, green, blue, ..] => [*kind, *two, *red, *green, *blue].join(&b':'),
        _ => group.to_vec(),
    }
}
