//! Blocks that are lost: `valid-memtrack` and `valid-memcleanup`.
//!
//! Every object that `malloc` makes has a number: how many of its blocks are allocated and not freed (frees
//! that are not valid are violations before). When the program ends, all numbers must be 0 for
//! `valid-memcleanup`. For `valid-memtrack`, blocks may be left that global variables lead to; when `exit`
//! ends the program, also those that variables of the functions on the stack lead to.
//!
//! A block that was lost is lost until the end, so it is enough to look there, if there is a run from each
//! state that ends. So rounds of loops are counted: that there are more than [`ROUNDS`] is unsupported. A
//! loop that asks the environment whether to go on may be left ([`ends`]), and its rounds do not count:
//! whenever it goes on, counting begins again. So a proof shows that all runs end that leave such loops. What
//! comes behind such a loop must not be cut off by an assumption (that there is no overflow, for example):
//! nobody would look at a run that stays in the loop. So where that may be, no block may be left.
//!
//! Limits: what leads to a block is followed through variables, not through arrays; through other blocks only
//! as far as some of them are left. Where that is not enough, a block that is left is unsupported. Nobody
//! knows whether `abort` ends a program in the sense of `valid-memcleanup`: that blocks are left there is
//! unsupported.

use palisade_program::Property;
use palisade_term::Term;

use super::state::Otherwise;
use super::{Encoder, Node, VarKey};
use crate::ends::{self, Loops};
use crate::inline::InstanceId;
use crate::ir::{self, ARGUMENTS, Storage};
use crate::memory::{Kind, Leaf, ObjectId};
use crate::types::Type;

/// How many rounds of loops a run may have in a proof that no memory is lost: so many, and some for each
/// block that there was when counting began.
const ROUNDS: i128 = 1 << 24;
const ROUNDS_OF_A_BLOCK: i128 = 64;
/// A way through more objects than this may lead anywhere.
const MOST_THROUGH: usize = 6;

/// Where a program ends: the function at the top of the stack and the block in it; `None` if the entry
/// function returns.
type Top = Option<(InstanceId, u32)>;

impl Encoder<'_> {
    /// The objects whose blocks must be freed, if that is a property.
    fn counted(&self) -> Vec<ObjectId> {
        if !self.options.checks.leaks() {
            return Vec::new();
        }
        let all = (self.memory.heap..self.memory.objects.len() as u32).map(ObjectId);
        all.filter(|o| self.is_counted(*o)).collect()
    }

    fn is_counted(&self, o: ObjectId) -> bool {
        let kind = self.memory.get(o).kind;
        self.options.checks.leaks() && matches!(kind, Kind::Heap { storage: Storage::Allocated, .. })
    }

    /// At the start nothing is allocated.
    pub(super) fn start_counting(&mut self) {
        let zero = self.domain.address(0);
        for o in self.counted() {
            let live = self.counter(VarKey::Live(o));
            self.set(live, zero);
        }
        if self.counts_rounds() {
            let rounds = self.counter(VarKey::Rounds);
            self.set(rounds, zero);
        }
    }

    fn count(&mut self, key: VarKey, by: i128, condition: Term) {
        let var = self.counter(key);
        let now = self.get(var);
        let new = self.domain.address_add(now, self.domain.address(by));
        self.set(var, self.pool.ite(condition, new, now));
    }

    /// A block is allocated.
    pub(super) fn count_block(&mut self, o: ObjectId) {
        if self.is_counted(o) {
            self.count(VarKey::Live(o), 1, self.pool.tru());
        }
    }

    /// A block is freed, if a condition holds.
    pub(super) fn count_free(&mut self, o: ObjectId, condition: Term) {
        if self.is_counted(o) {
            self.count(VarKey::Live(o), -1, condition);
        }
    }

    pub(super) fn counts_rounds(&self) -> bool {
        self.options.checks.track && !self.counted().is_empty()
    }

    /// A round of a loop begins.
    pub(super) fn round(&mut self, n: Node) {
        if !self.counts_rounds() || !self.loops(n).counted[n.1.0 as usize] {
            return;
        }
        self.span = self.unit.function(self.instances.get(n.0).function).node(n.1).span;
        self.instance = n.0;
        self.count(VarKey::Rounds, 1, self.pool.tru());
        let what = format!("whether memory is lost in a loop that may not end, {}", self.position(self.span));
        let rounds = self.counter(VarKey::Rounds);
        let few = self.domain.address_le(self.get(rounds), self.domain.address(ROUNDS));
        self.require(few, &Otherwise::Unsupported(what.into()));
    }

    /// The loops of the function of a node. Where a run may end silently, by an assumption for example, it
    /// does not help that a loop may be left.
    fn loops(&mut self, n: Node) -> &Loops {
        let function = self.instances.get(n.0).function;
        let unit = self.unit;
        let free = *self.free_to_leave.get_or_insert_with(|| unit.functions.iter().all(ends::are_seen));
        self.endless.entry(function).or_insert_with(|| ends::find(unit.function(function), free))
    }

    /// Does this way stay in a loop that may be left instead? Then the rounds before do not count.
    pub(super) fn goes_on(&mut self, branch: Node, way: ir::NodeId) -> bool {
        self.counts_rounds() && self.loops(branch).stays.contains(&(branch.1, way))
    }

    /// A round that need not have begun: rounds are counted from here on, less some for each block that there
    /// is, for walks through lists of any length. The counter, and its value before.
    pub(super) fn forget_rounds(&mut self) -> (Term, Term) {
        let rounds = self.counter(VarKey::Rounds);
        let before = self.get(rounds);
        let mut from = self.domain.address(0);
        for o in self.counted() {
            let live = self.counter(VarKey::Live(o));
            let rounds = self.domain.address_scale(self.get(live), ROUNDS_OF_A_BLOCK);
            from = self.domain.address_sub(from, rounds);
        }
        self.state.values.insert(rounds, from);
        (rounds, before)
    }

    /// Finds the nodes that a run may come to when it leaves a loop in which it may stay.
    pub(super) fn find_left_loops(&mut self, reachable: &[Node]) {
        self.behind_loops = vec![false; self.instances.nodes as usize];
        let mut open = Vec::new();
        for &n in reachable {
            let (stays, leaves): (Vec<Node>, Vec<Node>) =
                self.ways(n).into_iter().partition(|way| self.goes_on(n, way.1));
            if !stays.is_empty() {
                open.extend(leaves);
            }
        }
        while let Some(n) = open.pop() {
            let number = self.number(n);
            if !std::mem::replace(&mut self.behind_loops[number], true) {
                let ways = self.ways(n);
                open.extend(ways.into_iter().filter(|way| !self.goes_on(n, way.1)));
            }
        }
    }

    /// A run is cut off here unless a condition holds. If it has left a loop in which it could have stayed,
    /// no block may be left.
    pub(super) fn check_cut(&mut self, condition: Term) {
        let here = self.here.map(|n| self.number(n));
        if here.is_none_or(|n| self.behind_loops.get(n) != Some(&true)) {
            return;
        }
        let what = format!(
            "whether memory is lost before {}, which assumes that nothing undefined happens there",
            self.position(self.span)
        );
        for o in self.counted() {
            let none = self.none_left(o);
            let held = self.held(o, None).0;
            let lost = self.pool.not(self.pool.or([condition, none, held]));
            self.emit_error(lost, Property::Unsupported(what.as_str().into()));
        }
    }

    fn none_left(&mut self, o: ObjectId) -> Term {
        let live = self.counter(VarKey::Live(o));
        self.pool.eq(self.get(live), self.domain.address(0))
    }

    /// The entry function returns.
    pub(super) fn end_program(&mut self) {
        self.check_left(None, &Otherwise::Violates("valid-memcleanup"));
    }

    /// `exit` or `abort`.
    pub(super) fn quit(&mut self, abort: bool, scope: u32) {
        let at = self.position(self.span);
        let otherwise = match abort {
            true => Otherwise::Unsupported(format!("blocks that are left by `abort`, {at}").into()),
            false => Otherwise::Violates("valid-memcleanup"),
        };
        self.check_left(Some((self.instance, scope)), &otherwise);
    }

    /// The program ends, while the functions from `top` on down are on the stack.
    fn check_left(&mut self, top: Top, cleanup: &Otherwise) {
        let counted = self.counted();
        if self.options.checks.track {
            for &o in &counted {
                let none = self.none_left(o);
                let (held, perhaps) = self.held(o, top);
                self.require(self.pool.or2(none, perhaps), &Otherwise::Violates("valid-memtrack"));
                let what = format!(
                    "what leads to blocks of `{}` at the end, {}",
                    self.memory.get(o).name,
                    self.position(self.span)
                );
                self.require(self.pool.or2(none, held), &Otherwise::Unsupported(what.into()));
            }
        }
        if self.options.checks.cleanup {
            let all: Vec<Term> = counted.iter().map(|o| self.none_left(*o)).collect();
            self.require(self.pool.and(all), cleanup);
        }
    }

    /// Do variables lead to all blocks of an object? Certainly, and perhaps.
    fn held(&mut self, o: ObjectId, top: Top) -> (Term, Term) {
        let no = self.pool.fls();
        let (mut held, mut perhaps, mut clear) = (vec![], vec![], !self.memory.is_many(o));
        for (_, holder, slot) in self.points_to.holders(self.memory).into_iter().filter(|h| h.0 == o) {
            if !self.is_root(holder, top) {
                clear &= !self.is_reached(holder, top);
                continue;
            }
            let Some(leaf) = self.leaf(holder, slot) else { continue };
            if !matches!(leaf.ty, Type::Pointer(_)) || !leaf.dims.is_empty() {
                clear = false;
                continue;
            }
            let (surely, maybe) = self.leads(holder, &leaf, o);
            held.push(surely);
            perhaps.push(maybe);
        }
        let reached = self.is_reached(o, top);
        let (held, perhaps) = (self.pool.or(held), self.pool.or(perhaps));
        match (reached, clear && !self.points_to.environment_holds(o)) {
            (false, _) => (no, no),
            (true, true) => (held, perhaps),
            (true, false) => {
                let perhaps = self.led_to(o, top, &mut Vec::new());
                (if self.memory.is_many(o) { no } else { held }, perhaps)
            }
        }
    }

    /// Does a pointer in a variable lead to a block of the object? Certainly, and perhaps.
    fn leads(&mut self, holder: ObjectId, leaf: &Leaf, o: ObjectId) -> (Term, Term) {
        let var = self.leaf_var(holder, leaf);
        let reaches = self.in_reach(o, self.get(var));
        let (certain, perhaps) = self.is_current(holder, leaf);
        // Nobody knows where the rest of a pointer leads.
        let rest = self.pool.and2(perhaps, self.pool.not(certain));
        let certain = self.pool.and2(reaches, certain);
        (certain, self.pool.or2(certain, rest))
    }

    /// May variables that exist at the end lead to a block of the object? A variable does where its value
    /// says so, and blocks of another object only while one of them is left to which something leads.
    /// `through` are the objects that the way from here has come through.
    fn led_to(&mut self, o: ObjectId, top: Top, through: &mut Vec<ObjectId>) -> Term {
        let yes = self.pool.tru();
        let unclear = self.points_to.environment_holds(o) || self.points_to.follows_integers();
        if unclear || through.len() == MOST_THROUGH {
            return yes;
        }
        through.push(o);
        let mut ways = Vec::new();
        for (_, holder, slot) in self.points_to.holders(self.memory).into_iter().filter(|h| h.0 == o) {
            if through.contains(&holder) {
                continue;
            }
            if self.is_root(holder, top) {
                let leaf = self.leaf(holder, slot);
                let one = leaf.filter(|l| matches!(l.ty, Type::Pointer(_)) && l.dims.is_empty());
                ways.push(match one {
                    Some(leaf) => self.leads(holder, &leaf, o).1,
                    None => yes,
                });
            } else {
                let left = if self.is_counted(holder) { self.pool.not(self.none_left(holder)) } else { yes };
                let led = self.led_to(holder, top, through);
                ways.push(self.pool.and2(left, led));
            }
        }
        through.pop();
        self.pool.or(ways)
    }

    /// Is the object a variable of the program that exists at the end?
    fn is_root(&self, o: ObjectId, top: Top) -> bool {
        match self.memory.get(o).kind {
            Kind::Global(_) => true,
            Kind::Heap { .. } => false,
            Kind::Local(owner) => {
                let mut at = top;
                while let Some((i, scope)) = at {
                    let instance = self.instances.get(i);
                    if i == owner {
                        let f = self.unit.function(instance.function);
                        let var = &f.vars[(o.0 - instance.first_var) as usize];
                        let arguments = var.name.starts_with(ARGUMENTS);
                        return (!var.temporary || arguments) && f.is_around(var.scope, scope);
                    }
                    at = instance.caller.map(|(caller, n)| {
                        let f = self.unit.function(self.instances.get(caller).function);
                        (caller, f.node(n).scope)
                    });
                }
                false
            }
        }
    }

    /// May variables that exist at the end lead to the object?
    fn is_reached(&self, o: ObjectId, top: Top) -> bool {
        let holders = self.points_to.holders(self.memory);
        let mut reached: std::collections::BTreeSet<ObjectId> =
            (0..self.memory.objects.len() as u32).map(ObjectId).filter(|r| self.is_root(*r, top)).collect();
        loop {
            let before = reached.len();
            for (to, from, _) in &holders {
                if reached.contains(from) || self.points_to.environment_holds(*to) {
                    reached.insert(*to);
                }
            }
            if reached.len() == before {
                return reached.contains(&o);
            }
        }
    }
}
