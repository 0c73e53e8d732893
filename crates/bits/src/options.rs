//! The options of the engines on circuits.

palisade_options::choices! {
    /// How interpolants are read off a refutation.
    pub enum System { #[default] McMillan = "mcmillan", Dual = "dual", Pudlak = "pudlak" }
}

palisade_options::choices! {
    /// What is restricted to the cone of a query.
    pub enum Domain { None = "none", Decide = "decide", #[default] Propagate = "propagate" }
}

palisade_options::choices! {
    /// Which gates get only the clauses of the polarity that a query needs.
    pub enum Polarity { None = "none", #[default] Property = "property", All = "all" }
}

palisade_options::options! {
    /// The engines on circuits.
    pub struct Options in "bits" {
        /// drop literals of a blocked cube one at a time
        pub mic: bool = true,
        /// block counterexamples to generalisation
        pub ctg: bool = true,
        /// counterexamples to generalisation that are blocked for one dropped literal
        pub max_ctgs: usize = 3,
        /// obligations that are handled to block one counterexample to generalisation (1: only itself)
        pub ctg_limit: usize = 1,
        /// depth to which counterexamples to generalisation are themselves generalised with such
        pub ctg_depth: usize = 1,
        /// intersect the cube with the counterexample when that cannot be blocked
        pub joins: bool = true,
        /// drop literals of much activity first
        pub reverse_order: bool = false,
        /// failed attempts in a row after which no more literals are dropped (0: try all)
        pub mic_attempts: usize = 0,
        /// drop first what the lemma of the level below does not have
        pub parent_lemmas: bool = true,
        /// first try the lemma of the level below with one more literal, which excludes what prevented its
        /// push
        pub predict: bool = true,
        /// choose how counterexamples to generalisation are treated by how hard the obligations were
        /// (DynAMic)
        pub dynamic: bool = false,
        /// keep lemmas that are inductive by themselves apart, in every frame
        pub infinite: bool = false,
        /// one solver for all frames instead of one for each
        pub one_solver: bool = false,
        /// make solvers anew that have many clauses of lemmas that are no more
        pub rebuild: bool = true,
        /// try to push a lemma again only when a new lemma excludes what prevented it
        pub triggered_pushing: bool = true,
        /// shrink predecessors by justification (ternary simulation of the model)
        pub ternary: bool = true,
        /// shrink predecessors by the core of a query
        pub lift: bool = true,
        /// ask blocked obligations again at higher levels
        pub reenqueue: bool = true,
        /// keep obligations for the next frontier
        pub keep_obligations: bool = true,
        /// the cone of a query: of no matter, its variables are the only ones that are decided, or also the
        /// only ones that are propagated
        pub domain: Domain = Domain::Propagate,
        /// eliminate gates where that makes no more clauses
        pub eliminate: bool = true,
        /// add only those clauses of a gate that the query needs, by polarity: of no gate, of those that are
        /// not part of next states, or of all
        pub polarity: Polarity = Polarity::Property,
        /// experiment: propagate the clauses of the initial states
        pub initial_clauses: bool = false,
        /// IC3: frames begin with the property, if that is about latches only (after constraints are a latch)
        pub property_frames: bool = true,
        /// bounded search beside IC3, in percent of what IC3 propagates (0: none)
        pub beside: u64 = 10,
        /// merge latches that induction shows equal, among those that simulation does not tell apart
        pub equivalences: bool = false,
        /// with `equivalences`: merge gates over latches too
        pub equivalent_gates: bool = false,
        /// IC3: make the constraints a latch that is true as long as they were
        pub fold: bool = true,
        /// evaluations of gates by random simulation before IC3 starts (0: none)
        pub simulate: u64 = 20_000_000,
        /// random simulation between frontiers: evaluations of gates in percent of what IC3 propagates since
        /// the last frontier (0: none)
        pub simulate_between: u64 = 100,
        /// stop after this many unrollings (`imc`, `bmc` and `kind` on circuits; 0: never)
        pub bound: u64 = 0,
        /// `imc` and `kind` on circuits: how interpolants are read off a refutation: McMillan's system, its
        /// dual (weaker interpolants), or Pudlak's (between them)
        pub system: System = System::McMillan,
        /// `kind` on circuits: gates that the invariant may have, besides four times those of the circuit
        pub invariant_gates: usize = 10_000,
    }
}
