# The commands of everyday work, for `just` (https://just.systems). Each is one line that can be typed without it.

# List the recipes.
default:
    @just --list --unsorted

# Format, lints and the project's own rules: what to run before a commit.
check:
    cargo fmt --all --check
    cargo clippy --locked --all-targets -- -D warnings
    cargo test --locked --test tidy

# The tests that answer in about a minute: no whole program, no long search for a counterexample.
quick *args:
    cargo test --locked --lib --test domain --test ui --test config --test project --test term --test store --test tidy -- --skip properties:: --skip simulating:: --skip replaying:: --skip differential:: --skip never:: --skip without_colours {{ args }}

# Every test; arguments go to cargo: `just test --test engine`.
test *args:
    cargo test --locked {{ args }}

# What runs for every change, from format to the demo.
gate:
    .ci/run

# A whole run with scripted agents; arguments go to `dbs demo`: `just demo --headless`.
demo *args:
    cargo run --locked --release -- demo {{ args }}

# The figures of docs/performance.md; arguments name the groups: `just bench echo kill`.
bench *args:
    cargo bench --locked --bench figures -- {{ args }}

# Write anew what is made of the code (frames, keys.md, picture.svg, moving.svg, configuration.md); look at it before you commit it.
bless:
    DBS_UPDATE=1 INSTA_UPDATE=always cargo test --locked --test ui --test config
    DBS_UPDATE=1 cargo test --locked --test cli the_reference
    git diff --stat
