//! How the page is divided: the sizes that a person has given its parts, in pixels.

use leptos::prelude::*;
use stepweave_core::decimal;

use crate::bridge::Bridge;

/// A part of the page that has a size of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The inspector: how wide it is.
    Inspector,
    /// The panel of the run below the canvas: how tall it is.
    PanelBelow,
    /// The panel of the run beside the canvas: how wide it is.
    PanelBeside,
}

impl Part {
    /// The name under which the browser remembers its size.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inspector => "inspector-width",
            Self::PanelBelow => "panel-height",
            Self::PanelBeside => "panel-width",
        }
    }

    /// What it is called.
    pub fn label(self) -> &'static str {
        match self {
            Self::Inspector => "Width of the inspector",
            Self::PanelBelow => "Height of the panel",
            Self::PanelBeside => "Width of the panel",
        }
    }

    /// Whether its size is a width.
    pub fn is_width(self) -> bool {
        !matches!(self, Self::PanelBelow)
    }

    /// Its smallest size, the one it has at first, and its largest.
    pub fn sizes(self) -> [f64; 3] {
        match self {
            Self::Inspector => [260.0, 320.0, 760.0],
            Self::PanelBelow => [120.0, 236.0, 640.0],
            Self::PanelBeside => [280.0, 380.0, 800.0],
        }
    }

    /// A size within its bounds.
    pub fn within(self, size: f64) -> f64 {
        let [least, first, most] = self.sizes();
        if size.is_finite() { size.clamp(least, most) } else { first }
    }
}

/// The name under which the browser remembers where the panel is.
const BESIDE: &str = "panel-beside";

/// The sizes.
#[derive(Clone, Copy)]
pub struct Division {
    inspector: RwSignal<f64>,
    below: RwSignal<f64>,
    beside: RwSignal<f64>,
    /// Whether the panel of the run is beside the canvas and not below it.
    pub is_beside: RwSignal<bool>,
}

impl Division {
    /// As the browser remembers it.
    pub fn remembered(bridge: &Bridge) -> Self {
        let size = |part: Part| {
            let kept = bridge.preference(part.name()).and_then(|text| decimal::read(&text));
            RwSignal::new(part.within(kept.unwrap_or(f64::NAN)))
        };
        Self {
            inspector: size(Part::Inspector),
            below: size(Part::PanelBelow),
            beside: size(Part::PanelBeside),
            is_beside: RwSignal::new(bridge.preference(BESIDE).as_deref() == Some("yes")),
        }
    }

    /// The size of a part.
    pub fn size(&self, part: Part) -> RwSignal<f64> {
        match part {
            Part::Inspector => self.inspector,
            Part::PanelBelow => self.below,
            Part::PanelBeside => self.beside,
        }
    }

    /// Remembers the size of a part.
    pub fn keep(&self, bridge: &Bridge, part: Part) {
        bridge.prefer(part.name(), &self.size(part).get_untracked().to_string());
    }

    /// Puts the panel beside the canvas, or below it again.
    pub fn turn_panel(&self, bridge: &Bridge) {
        self.is_beside.update(|beside| *beside = !*beside);
        bridge.prefer(BESIDE, if self.is_beside.get_untracked() { "yes" } else { "no" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_makes_no_sense_is_the_first_one() {
        assert_eq!(Part::Inspector.within(f64::NAN), 320.0);
        assert_eq!(Part::Inspector.within(10_000.0), 760.0);
        assert_eq!(Part::PanelBelow.within(-1.0), 120.0);
    }
}
