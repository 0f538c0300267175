//! Reading base64, as control strings carry it. Must not be used for anything secret or large.

/// The bytes of a base64 text; padding may be missing. None if a character does not belong.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut bits: u32 = 0;
    let mut count = 0u32;
    for &byte in text.iter().take_while(|&&byte| byte != b'=') {
        bits = (bits << 6) | u32::from(value(byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(((bits >> count) & 0xff) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

/// The text in a base64 text, with replacement characters where it is not UTF-8.
pub(super) fn decode_text(text: &str) -> Option<String> {
    decode(text.as_bytes()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn value(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_with_and_without_padding() {
        for (encoded, plain) in [
            ("", ""),
            ("QQ==", "A"),
            ("QQ", "A"),
            ("QWI=", "Ab"),
            ("QWJj", "Abc"),
            ("4pyz", "✳"),
        ] {
            assert_eq!(decode_text(encoded).as_deref(), Some(plain), "{encoded}");
        }
        assert_eq!(decode(b"a b"), None);
    }
}
