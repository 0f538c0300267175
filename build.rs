//! Links the program of a development build at a fixed address. At any other the loader adjusts about 180,000 places at each start,
//! two fifths of the time of a short command, and tests start thousands. What is released is linked as the compiler does by itself.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script about the build by its environment alone"
)]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|found| found == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bin=dbs=-no-pie");
    }
}
