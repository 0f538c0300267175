//! Reader of base64, as control strings carry it: in either alphabet, with or without padding.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Returns the bytes of a base64 text up to its padding. `None` if a character does not belong.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let letters = text.iter().take_while(|&&byte| byte != b'=');
    let standard: Vec<u8> = letters
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => *other,
        })
        .collect();
    LENIENT.decode(standard).ok()
}

/// Returns the text in a base64 text, with replacement characters if it is not UTF-8.
pub(super) fn decode_text(text: &str) -> Option<String> {
    decode(text.as_bytes()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
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
        assert_eq!(decode(b"-_8"), decode(b"+/8="));
        assert_eq!(decode(b"a b"), None);
    }
}
