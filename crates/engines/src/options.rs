//! The options of the engines: `--set name=value` on the command line, typed fields in the code.
//!
//! A group belongs to a part or to an engine; `palisade options` prints the table that the declarations make.
//! [`PRESETS`] are named lists of settings for one engine each (`--preset`).

use palisade_options::{Group, Preset, Refused, choices, groups, options};

choices! {
    /// How the program is prepared.
    pub enum Transform { #[default] Full = "full", Light = "light", None = "none" }
}

choices! {
    /// Which edges have a solver in common.
    pub enum Sharing { #[default] Edge = "edge", Location = "location", Frame = "frame" }
}

choices! {
    /// How a predecessor is made from the model of a failed query.
    pub enum PredecessorMode { #[default] Project = "project", WeakestPrecondition = "wp", State = "state" }
}

choices! {
    /// How a bad cube is made from the model of a step into the error.
    pub enum BadCubes { #[default] Predecessor = "predecessor", DualRail = "dual-rail", Core = "core" }
}

choices! {
    /// The shape of program that an engine gets.
    pub enum Encoding {
        #[default] Engine = "engine", Cfa = "cfa", PcInt = "pc-int", PcBool = "pc-bool", AsIs = "as-is",
        CellFacts = "cell-facts", AnyCell = "any-cell", AnyCellAnySize = "any-size"
    }
}

options! {
    /// What is not about one engine.
    pub struct General in "" {
        /// the seed of the native solver's first guesses (`--seed`; 0: no randomness)
        pub seed: u64 = 0,
        /// how the program is prepared: with large blocks, without them, not at all
        pub transform: Transform = Transform::Full,
        /// make one variable of each element of arrays of at most so many elements when the program is
        /// prepared
        pub cells: usize = 8,
        /// turn Booleans that are a program counter into locations when the program is prepared
        pub control: bool = true,
        /// give each phase of a loop a location of its own when the program is prepared
        pub phases: bool = true,
        /// for proofs about any cell of arrays: look for facts about all cells first
        pub cell_facts: bool = true,
        /// the shape of the program: what the engine asks for, an automaton, one loop with a program
        /// counter, or (for proofs) an automaton without arrays: with facts about all their cells, or
        /// about any one cell, of these or of any sizes
        pub encoding: Encoding = Encoding::Engine,
        /// make the edges of a program that is one loop a single edge; `auto`: if the engine asks for that
        pub merge_edges: Choice = Choice::Auto,
        /// `auto`: unwind programs over words whose loops have few rounds before anything else; their proof
        /// is a number of rounds, without a formula for each loop
        pub unroll_short: bool = true,
        /// IC3: one incremental solver for each edge, one that the edges leaving a location share, or one for
        /// each edge and frame
        pub solvers: Sharing = Sharing::Edge,
    }
}

options! {
    /// Analyses before the engine starts.
    pub struct Background in "background" {
        /// find affine equalities before the engine starts
        pub affine: bool = true,
        /// find congruences before the engine starts
        pub congruence: bool = true,
        /// find inductive comparisons from the program's text before the engine starts
        pub houdini: bool = true,
        /// find affine relations modulo two before the engine starts
        pub parity: bool = true,
        /// find ranges of floating-point numbers before the engine starts
        pub ranges: bool = true,
        /// find elements of arrays that stay as they were stored before the engine starts
        pub stored: bool = true,
    }
}

choices! {
    /// A switch that may be left to the engine.
    pub enum Choice { #[default] Auto = "auto", On = "true", Off = "false" }
}

impl Choice {
    /// The value, if the engine would choose this one.
    pub fn or(self, engine: bool) -> bool {
        match self {
            Choice::Auto => engine,
            Choice::On => true,
            Choice::Off => false,
        }
    }
}

choices! {
    /// What an engine runs on.
    pub enum Backend { #[default] Auto = "auto", Sat = "sat", Smt = "smt" }
}

choices! {
    /// Where lemmas over bits may be about comparisons of words.
    pub enum Compared { Never = "never", #[default] Programs = "programs", Always = "always" }
}

choices! {
    /// What bounded model checking counts.
    pub enum Order { #[default] Steps = "steps", Loops = "loops" }
}

options! {
    /// Bounded model checking.
    pub struct Bmc in "bmc" {
        /// the SAT core for circuits and the like (finite, one loop) and SMT for others, or always one of
        /// them
        pub backend: Backend = Backend::Auto,
        /// SMT: unroll step by step (counterexamples are shortest), or loop by loop (less of a program with
        /// several loops)
        pub order: Order = Order::Steps,
        /// stop after this many unrollings, of each loop with `order=loops` (0: never)
        pub bound: u64 = 0,
    }
}

options! {
    /// From a blocked cube to a larger one.
    pub struct Generalize in "generalize" {
        /// try a known lemma of a lower level before generalising anew
        pub cache: bool = true,
        /// keep only the literals that the blocking queries needed
        pub core: bool = true,
        /// block counterexamples to generalisation
        pub ctg: bool = true,
        /// counterexamples to generalisation that are blocked for one dropped literal
        pub max_ctgs: usize = 3,
        /// experiment: sets of states that are asked about to block one counterexample to generalisation (1:
        /// only itself)
        pub ctg_limit: usize = 1,
        /// how deep the blocking of counterexamples to generalisation may nest
        pub max_depth: usize = 1,
        /// replace pairs of inequalities by positive combinations
        pub farkas: bool = true,
        /// experiment: try interpolants of the blocking queries as lemmas (engines with frames; those on
        /// trees interpolate whole paths)
        pub interpolants: bool = false,
        /// experiment: when a cube is not blocked, try the part that it shares with the counterexample to its
        /// induction; so many joins for one dropped literal (engines with frames: nothing is inductive on a
        /// path of the tree-based ones)
        pub max_joins: usize = 0,
        /// drop literals one at a time
        pub mic: bool = true,
        /// experiment: move the constants of inequalities outward
        pub relax: bool = false,
        /// try to do without the literals about remainders, in one query
        pub remainders: bool = true,
        /// split equalities into two inequalities
        pub split_equalities: bool = true,
        /// drop the literals over variables that the weakest precondition does not mention, in one query
        pub variables: bool = true,
    }
}

options! {
    /// The engines of the IC3 family.
    pub struct Ic3 in "ic3" {
        /// `ic3`: the SAT core for finite programs and SMT for others, or always one of them
        pub backend: Backend = Backend::Auto,
        /// bad cubes: like other predecessors, reduced by the dual-rail encoding, or reduced by a core
        pub bad: BadCubes = BadCubes::Predecessor,
        /// SAT: lemmas may be about the comparisons of words that the program makes, not only about bits:
        /// where the step of a program is guarded, rather than one function, or also for circuits
        pub compare: Compared = Compared::Programs,
        /// the cubes of a preimage that become obligations at once
        pub cubes: usize = 1,
        /// conjecture hulls and relations of lemmas that differ in constants
        pub guidance: bool = true,
        /// predecessors: projected implicant, exact weakest precondition, or lifted state
        pub predecessor: PredecessorMode = PredecessorMode::Project,
        /// conjecture the step of lemmas whose coefficients grow
        pub progressions: bool = true,
        /// ask blocked obligations again at higher levels
        pub reenqueue: bool = true,
        /// run the program in search of a long counterexample whenever the work has doubled
        pub walk: bool = true,
        /// `ic3` on the SAT core: threads that tell each other lemmas; only one is deterministic
        pub workers: usize = 1,
    }
}

options! {
    /// Interpolation-based model checking.
    pub struct Imc in "imc" {
        /// the SAT core for finite programs and SMT for others, or always one of them
        pub backend: Backend = Backend::Auto,
        /// SAT core: interpolants by McMillan's system, its dual (weaker ones), or Pudlak's (between them)
        pub system: palisade_bits::System = palisade_bits::System::McMillan,
    }
}

options! {
    /// k-induction.
    pub struct Kind in "kind" {
        /// the SAT core for circuits and the like (finite, one loop) and SMT for others, or always one of
        /// them
        pub backend: Backend = Backend::Auto,
        /// require the states of an induction path to be pairwise distinct; by itself on the SAT core only
        pub simple_path: Choice = Choice::Auto,
    }
}

options! {
    /// PDR on control-flow graphs.
    pub struct PdrCfg in "pdr-cfg" {
        /// reduce blocked obligations to the literals their queries needed
        pub core: bool = true,
        /// one obligation per cube of the weakest precondition's disjunctive normal form
        pub dnf: bool = true,
        /// learn interpolants between frames and obligations
        pub interpolants: bool = true,
        /// drop parts of obligations that the frame already contains
        pub syntactic: bool = true,
    }
}

groups! {
    /// The values of all options.
    pub struct Options {
        /// The abstract reachability tree.
        pub art: crate::art::options::ArtOptions,
        /// Refuting paths.
        pub path: crate::path::options::PathOptions,
        /// What is not about one engine.
        pub general: General,
        /// Analyses before the engine starts.
        pub background: Background,
        /// The engines on circuits.
        pub bits: palisade_bits::Options,
        /// Bounded model checking.
        pub bmc: Bmc,
        /// From a blocked cube to a larger one.
        pub generalize: Generalize,
        /// The engines of the IC3 family.
        pub ic3: Ic3,
        /// IC3 with predicate abstraction refined at spurious steps.
        pub ic3_cegar: crate::ic3_cegar::Ic3CegarOptions,
        /// Lazy abstraction with interpolants.
        pub impact: crate::impact::ImpactOptions,
        /// IC3 with implicit predicate abstraction.
        pub ic3_ia: crate::ic3_ia::Ic3IaOptions,
        /// Interpolation-based model checking.
        pub imc: Imc,
        /// k-induction.
        pub kind: Kind,
        /// PDR on control-flow graphs.
        pub pdr_cfg: PdrCfg,
        /// Explicit values.
        pub values: crate::values::ValuesOptions,
        /// Lazy predicate abstraction.
        pub predabs: crate::predabs::PredAbsOptions,
        /// Tree-based IC3.
        pub tree_ic3: crate::tree_ic3::TreeIc3Options,
    }
}

/// The tree-based engines as their paper has them: no analyses before, the generalisation of its time.
const TREE_PAPER: &[(&str, &str)] = &[
    ("art.background", "false"),
    ("generalize.cache", "false"),
    ("generalize.ctg", "false"),
    ("generalize.farkas", "false"),
    ("generalize.variables", "false"),
];

/// A preset of [`TREE_PAPER`].
const fn tree_paper(engine: &'static str) -> Preset {
    let about = "without background analyses (Cimatti and Griggio, CAV 2012)";
    Preset { name: "paper", engine, about, settings: TREE_PAPER }
}

/// Named lists of settings.
pub const PRESETS: &[Preset] = &[
    crate::ic3_cegar::PRESETS[0],
    crate::ic3_cegar::PRESETS[1],
    crate::ic3_cegar::PRESETS[2],
    crate::ic3_cegar::PRESETS[3],
    crate::ic3_cegar::PRESETS[4],
    crate::ic3_cegar::PRESETS[5],
    crate::ic3_cegar::PRESETS[6],
    tree_paper("tree-ic3"),
    tree_paper("tree-ic3-itp"),
    tree_paper("tree-ic3-itp-mono"),
    tree_paper("impact"),
    tree_paper("predabs"),
    Preset {
        name: "paper",
        engine: "ic3-cfa",
        about: "exact weakest preconditions, no generalisation (Lange, Neuhaeusser, Noll, FMCAD 2015)",
        settings: &[
            ("background.affine", "false"),
            ("background.congruence", "false"),
            ("background.houdini", "false"),
            ("background.parity", "false"),
            ("background.ranges", "false"),
            ("background.stored", "false"),
            ("generalize.cache", "false"),
            ("generalize.core", "false"),
            ("generalize.ctg", "false"),
            ("generalize.farkas", "false"),
            ("generalize.mic", "false"),
            ("generalize.split-equalities", "false"),
            ("generalize.variables", "false"),
            ("ic3.guidance", "false"),
            ("ic3.predecessor", "wp"),
            ("ic3.progressions", "false"),
            ("ic3.walk", "false"),
        ],
    },
    Preset {
        name: "paper",
        engine: "ic3-ia",
        about: "one transition relation, predicates of the property and of interpolants \
            (Cimatti and others, TACAS 2014)",
        settings: &[
            ("encoding", "pc-int"),
            ("generalize.cache", "false"),
            ("generalize.ctg", "false"),
            ("ic3-ia.background", "false"),
            ("ic3-ia.executions", "false"),
            ("ic3-ia.guards", "false"),
            ("ic3-ia.source", "interpolants"),
            ("ic3.guidance", "false"),
            ("ic3.walk", "false"),
        ],
    },
    Preset {
        name: "paper",
        engine: "ic3",
        about: "without background analyses, guidance and later generalisations \
            (Cimatti and Griggio, CAV 2012, section 3)",
        settings: &[
            ("background.affine", "false"),
            ("background.congruence", "false"),
            ("background.houdini", "false"),
            ("background.parity", "false"),
            ("background.ranges", "false"),
            ("background.stored", "false"),
            ("encoding", "pc-bool"),
            ("generalize.cache", "false"),
            ("generalize.ctg", "false"),
            ("generalize.farkas", "false"),
            ("generalize.variables", "false"),
            ("ic3.backend", "smt"),
            ("ic3.guidance", "false"),
            ("ic3.walk", "false"),
        ],
    },
    Preset {
        name: "paper",
        engine: "pdr-cfg",
        about: "the algorithm without its improvements \
            (Werner, Property Directed Reachability in Ultimate, 2018)",
        settings: &[
            ("pdr-cfg.core", "false"),
            ("pdr-cfg.dnf", "false"),
            ("pdr-cfg.interpolants", "false"),
            ("pdr-cfg.syntactic", "false"),
        ],
    },
];

impl Options {
    /// Every option at its default.
    pub fn new() -> Options {
        Options::default()
    }

    /// Sets one option; the error says what is wrong with name or value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Refused> {
        Group::set(self, name, value)
    }

    /// Applies the preset of an engine; the error says which presets there are.
    pub fn preset(&mut self, engine: &str, name: &str) -> Result<(), String> {
        let own: Vec<&Preset> = PRESETS.iter().filter(|p| p.engine == engine).collect();
        match own.iter().find(|p| p.name == name) {
            Some(preset) => {
                preset.apply(self);
                Ok(())
            }
            None if own.is_empty() => Err(format!("the engine `{engine}` has no presets")),
            None => {
                let names: Vec<&str> = own.iter().map(|p| p.name).collect();
                Err(format!("`{engine}` has no preset `{name}`; there are: {}", names.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use palisade_options::Group as _;

    use super::{Options, PRESETS};

    #[test]
    fn presets_name_options_that_exist() {
        for p in PRESETS {
            Options::new().preset(p.engine, p.name).expect("applies");
            assert!(crate::all().iter().any(|e| e.name() == p.engine), "{}", p.engine);
        }
    }

    #[test]
    fn defaults_are_values() {
        for row in Options::table() {
            Options::new().set(&row.name, &row.default).expect("a default is a value");
            assert!(Options::new().set(&row.name, "no such value").is_err(), "{}", row.name);
        }
    }
}
