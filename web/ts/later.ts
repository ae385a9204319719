// What the page does for whoever works with it, once the first cards are there.
import { stayNearby } from "./nearby.js";
import { keepStill } from "./still.js";
import { showWhole } from "./whole.js";

keepStill();
showWhole();
stayNearby();
