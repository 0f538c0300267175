//! Trust that follows from setting one key: that key with the value it was given, and nothing that changed at the same time.

use crate::config::schema::spec_of;
use crate::config::trust::item::{TrustItem, TrustKind};
use crate::config::trust::listing::TrustListing;

/// Changes what is trusted after a person set or unset one key, from the listing before to the one after. Everything else stays trusted as
/// it was, in its order.
pub(super) fn trust(
    trusted: &mut Vec<TrustItem>,
    before: &TrustListing,
    after: &TrustListing,
    key: &str,
    value: Option<&str>,
) {
    let is_key = |item: &TrustItem| item.kind.is_setting() && item.name == key;
    let items = || after.items.iter().map(|listed| &listed.item);
    let was_listed = |item: &TrustItem| before.items.iter().any(|listed| same(&listed.item, item));
    let is_own = |item: &&TrustItem| match item.kind {
        TrustKind::Script => {
            !was_listed(item) && items().any(|other| is_key(other) && other.text.contains(&item.name))
        }
        _ => is_key(item) && value.is_some_and(|value| is_value(key, value, &item.text)),
    };
    if value.is_none() {
        trusted.retain(|item| !is_key(item));
        // A script that nothing names any more, because the key did, goes with it.
        trusted.retain(|item| item.kind != TrustKind::Script || items().any(|other| same(other, item)));
    }
    for own in items().filter(is_own) {
        if let Some(known) = trusted.iter_mut().find(|item| same(item, own)) {
            *known = own.clone();
            continue;
        }
        // The order of settings is trusted as well: the item goes after the last trusted one that comes before it in the files.
        let earlier = items().take_while(|item| !same(item, own));
        let place = earlier.filter_map(|item| trusted.iter().position(|known| same(known, item)));
        let place = place.last().map_or(0, |place| place + 1);
        trusted.insert(place, own.clone());
    }
}

fn same(one: &TrustItem, other: &TrustItem) -> bool {
    one.kind == other.kind && one.name == other.name
}

/// Returns true if a text in a file is the given value, even if the two are written differently.
fn is_value(key: &str, given: &str, text: &str) -> bool {
    let spec = spec_of(&key.split('.').collect::<Vec<_>>());
    spec.is_some_and(|spec| {
        let value = |text: &str| spec.kind.parse(text).ok();
        value(text).is_some_and(|value_now| value(given) == Some(value_now))
    })
}
