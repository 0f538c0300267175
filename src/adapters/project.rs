//! The folder of a project: its paths, its secret, its ignore rules. Must not read the environment.
