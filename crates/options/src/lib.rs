//! Typed options: one declaration gives the fields, the help text and the parser.
//!
//! A crate declares its options with [`options!`], in groups. A field's option is called `prefix.field-name`
//! (or just `field-name` if the prefix is empty), its doc comment is its help text:
//!
//! ```
//! palisade_options::choices! {
//!     /// Which end to begin at.
//!     pub enum Order { #[default] First = "first", Last = "last" }
//! }
//! palisade_options::options! {
//!     /// How cards are played.
//!     pub struct Cards in "cards" {
//!         /// shuffle before the game
//!         pub shuffle: bool = true,
//!         /// which card is played next
//!         pub order: Order = Order::First,
//!     }
//! }
//! palisade_options::groups! {
//!     /// Everything.
//!     pub struct All { pub cards: Cards }
//! }
//! use palisade_options::Group as _;
//! let mut all = All::default();
//! assert!(all.cards.shuffle);
//! all.set("cards.order", "last").unwrap();
//! assert_eq!(all.cards.order, Order::Last);
//! assert!(all.set("cards.order", "middle").is_err());
//! assert_eq!(All::table()[0].name, "cards.shuffle");
//! ```
//!
//! Invariant: every field of a group is a row of its table, in the order of declaration, and only a row of
//! the table can be set. So the help cannot differ from what is parsed.

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number from 0.
    Number,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// One row of the table: an option that `--set` knows.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name, `group.option`.
    pub name: String,
    /// What it takes.
    pub kind: Kind,
    /// The value without `--set`.
    pub default: String,
    /// One line for people.
    pub about: &'static str,
}

/// Why an option could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no option of this name.
    NoSuchOption(String),
    /// The option does not take this value.
    BadValue {
        /// The value.
        value: String,
        /// The option's name.
        name: String,
        /// What the option is about and takes.
        about: String,
    },
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::NoSuchOption(name) => {
                write!(f, "there is no option `{name}`; `palisade options` lists them")
            }
            Refused::BadValue { value, name, about } => {
                write!(f, "`{value}` is not a value for option `{name}` ({about})")
            }
        }
    }
}

impl std::error::Error for Refused {}

/// A type that an option can have.
pub trait Value: Sized {
    /// What `--set` takes for it.
    const KIND: Kind;
    /// The value of a word, if it is one.
    fn parse(text: &str) -> Option<Self>;
    /// The word of a value.
    fn show(&self) -> String;
}

impl Value for bool {
    const KIND: Kind = Kind::Bool;

    fn parse(text: &str) -> Option<bool> {
        text.parse().ok()
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

macro_rules! numbers {
    ($($ty:ty),*) => { $(
        impl Value for $ty {
            const KIND: Kind = Kind::Number;

            fn parse(text: &str) -> Option<$ty> {
                text.parse().ok()
            }

            fn show(&self) -> String {
                self.to_string()
            }
        }
    )* };
}
numbers!(u32, u64, usize);

/// A set of options.
pub trait Group: Default {
    /// Its rows, in the order of declaration.
    fn table() -> Vec<Row>;

    /// Sets one option from its text.
    fn set(&mut self, name: &str, value: &str) -> Result<(), Refused>;
}

/// The option of a field: `prefix.field-name`.
pub fn option_name(prefix: &str, field: &str) -> String {
    let field = field.replace('_', "-");
    if prefix.is_empty() { field } else { format!("{prefix}.{field}") }
}

/// Parses a value for an option, or says why not.
pub fn parse<T: Value>(name: &str, about: &str, value: &str) -> Result<T, Refused> {
    T::parse(value).ok_or_else(|| Refused::BadValue {
        value: value.into(),
        name: name.into(),
        about: match T::KIND {
            Kind::Choice(words) => format!("{about}: {}", words.join(", ")),
            Kind::Bool | Kind::Number => about.into(),
        },
    })
}

/// Declares an enumeration whose variants are the words of an option.
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { $(#[doc = concat!("`", $word, "`.")] $(#[$variant_meta])* $variant),+ }

        impl $crate::Value for $name {
            const KIND: $crate::Kind = $crate::Kind::Choice(&[$($word),+]);

            fn parse(text: &str) -> Option<$name> {
                match text {
                    $($word => Some($name::$variant),)+
                    _ => None,
                }
            }

            fn show(&self) -> String {
                match self { $($name::$variant => $word.to_string()),+ }
            }
        }
    };
}

/// Declares a group of options. See the module's head for an example.
#[macro_export]
macro_rules! options {
    ($(#[$meta:meta])* pub struct $name:ident in $prefix:literal {
        $($(#[doc = $about:literal])+ pub $field:ident : $ty:ty = $default:expr),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name { $($(#[doc = $about])+ pub $field: $ty),+ }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default),+ }
            }
        }

        impl $crate::Group for $name {
            fn table() -> Vec<$crate::Row> {
                let defaults = $name::default();
                vec![$($crate::Row {
                    name: $crate::option_name($prefix, stringify!($field)),
                    kind: <$ty as $crate::Value>::KIND,
                    default: $crate::Value::show(&defaults.$field),
                    about: concat!($($about),+).trim_ascii(),
                }),+]
            }

            fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::Refused> {
                $(
                    if name == $crate::option_name($prefix, stringify!($field)) {
                        self.$field = $crate::parse(name, concat!($($about),+).trim_ascii(), value)?;
                        return Ok(());
                    }
                )+
                Err($crate::Refused::NoSuchOption(name.into()))
            }
        }
    };
}

/// Declares a set of groups, each a field.
#[macro_export]
macro_rules! groups {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$field_meta:meta])* pub $field:ident : $ty:ty),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        pub struct $name { $($(#[$field_meta])* pub $field: $ty),+ }

        impl $crate::Group for $name {
            fn table() -> Vec<$crate::Row> {
                let mut rows = Vec::new();
                $(rows.extend(<$ty as $crate::Group>::table());)+
                rows
            }

            fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::Refused> {
                $(
                    match $crate::Group::set(&mut self.$field, name, value) {
                        Err($crate::Refused::NoSuchOption(_)) => {}
                        done => return done,
                    }
                )+
                Err($crate::Refused::NoSuchOption(name.into()))
            }
        }
    };
}

/// A named list of settings.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// The engine that it is for.
    pub engine: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// What it sets.
    pub settings: &'static [(&'static str, &'static str)],
}

impl Preset {
    /// Applies the settings.
    ///
    /// # Panics
    /// If the preset names an option that the group does not have; the test of every table of presets applies
    /// each.
    pub fn apply<G: Group>(&self, group: &mut G) {
        for (name, value) in self.settings {
            group.set(name, value).unwrap_or_else(|e| panic!("preset {}: {e}", self.name));
        }
    }
}
