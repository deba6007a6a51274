// The rows of the page that is being opened are asked for before the rest of the program is evaluated and rendered.
import { loggedIn } from "../api/login";
import { watchJobs } from "../features/jobs/live";
import { chosenNamespace, place } from "../lib/router";

const patience = 150;  // milliseconds in which a page may stay empty

const rows = loggedIn.value && place.value.path.join("/") === "jobs" ? watchJobs(chosenNamespace()) : undefined;

/** Renders once the rows are there, so that the first frame has them; soon without them where the server is slow. */
export function whenRowsAreThere(render: () => void): void {
  if (!rows) return render();
  void Promise.race([rows, new Promise((resolve) => setTimeout(resolve, patience))]).then(render);
}
