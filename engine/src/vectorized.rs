//! Functions that are compiled for every width of vectors, of which the one for
//! the processor at hand is called.

/// Defines a function that takes the processor's [`pulp::Arch`] before the
/// arguments that are written, and has its body once for each instruction set.
///
/// A closure given to `Arch::dispatch` would do the same in fewer words, but only
/// if the compiler inlines it, and large closures it does not: then they silently
/// run with the vectors that every processor has. The same holds for closures
/// within the body, so heavy work belongs in its loops, not in `map`.
#[macro_export]
macro_rules! vectorized {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$life:lifetime>($($arg:ident: $type:ty),* $(,)?)
        -> $out:ty $body:block) => {
        $(#[$meta])*
        $vis fn $name<$life>(arch: pulp::Arch, $($arg: $type),*) -> $out {
            struct Arguments<$life> { $($arg: $type),* }
            impl<$life> pulp::WithSimd for Arguments<$life> {
                type Output = $out;

                #[inline(always)]
                fn with_simd<S: pulp::Simd>(self, _: S) -> $out {
                    let Arguments { $($arg),* } = self;
                    $body
                }
            }
            arch.dispatch(Arguments { $($arg),* })
        }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$life:lifetime>($($arg:ident: $type:ty),* $(,)?)
        $body:block) => {
        $crate::vectorized! {
            $(#[$meta])* $vis fn $name<$life>($($arg: $type),*) -> () $body
        }
    };
}
