// The worker of the page: it has no model of the browser, so it asks the page.
import "stepweave";
import { serve } from "stepweave/worker";

serve();
