/*
 * Starts Swagger UI for Fairlead: sections in groups, a filter that reads summaries and opens what it finds, tokens that
 * are tried when they are given, and the colours of the system. Served as /docs/assets/start.js.
 */

const dark = matchMedia("(prefers-color-scheme: dark)");
const followColours = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
followColours();
dark.addEventListener("change", followColours);

// --- Sections ---------------------------------------------------------------------------------------------

/** True for a filter of letters enough to tell something; before anything is typed it is `true`. */
const isPhrase = (filter) => typeof filter === "string" && filter.trim().length > 1;

/** The group that begins with a section; undefined for a section within a group. */
const groupAt = ({ specSelectors }, tag) =>
  specSelectors
    .specJson()
    .get("x-tagGroups")
    ?.find((group) => group.getIn(["tags", 0]) === tag)
    ?.get("name");

const groups = {
  wrapComponents: {
    OperationTag: (Original, system) => (props) => {
      const { createElement, Fragment } = system.React;
      const group = isPhrase(props.layoutSelectors.currentFilter()) ? undefined : groupAt(system, props.tag);
      const heading = group === undefined ? null : createElement("h2", { className: "tag-group" }, group);
      return createElement(Fragment, null, heading, createElement(Original, props));
    },
    // There is one server: the one that sent the page.
    ServersContainer: () => () => null,
  },
};

// --- The filter -------------------------------------------------------------------------------------------

/** The words by which an operation of a section is found. */
const wordsOf = (tag, operation) =>
  [
    tag,
    operation.get("method"),
    operation.get("path"),
    operation.getIn(["operation", "summary"]),
    operation.getIn(["operation", "operationId"]),
  ]
    .join(" ")
    .toLowerCase();

/** The sections with the operations in which every word of the phrase occurs. */
function found(sections, phrase) {
  const words = phrase.toLowerCase().trim().split(/\s+/);
  return sections
    .map((section, tag) =>
      section.update("operations", (operations) =>
        operations.filter((operation) => {
          const text = wordsOf(tag, operation);
          return words.every((word) => text.includes(word));
        }),
      ),
    )
    .filter((section) => section.get("operations").size > 0);
}

/** A labelled search field, which tells how much it found. */
const filterWith =
  ({ createElement, useState, useEffect }) =>
  (props) => {
    const { layoutSelectors, layoutActions, specSelectors } = props;
    const [text, setText] = useState("");
    useEffect(() => {
      const timer = setTimeout(() => layoutActions.updateFilter(text), 200);
      return () => clearTimeout(timer);
    }, [text]);
    const isFiltered = isPhrase(layoutSelectors.currentFilter());
    const count = specSelectors
      .taggedOperations()
      .reduce((sum, section) => sum + section.get("operations").size, 0);
    const told = isFiltered ? `${count === 0 ? "No" : count} operation${count === 1 ? "" : "s"} found` : "";
    document.documentElement.classList.toggle("nothing-found", isFiltered && count === 0);
    return createElement(
      "div",
      { className: "wrapper filter-operations" },
      createElement("label", { htmlFor: "filter-operations" }, "Find an operation"),
      createElement("input", {
        id: "filter-operations",
        type: "search",
        placeholder: "by words of its summary, path or section",
        value: text,
        onChange: (event) => setText(event.target.value),
      }),
      createElement("p", { role: "status" }, told),
    );
  };

const filter = ({ React }) => ({
  components: { FilterContainer: filterWith(React) },
  fn: { opsFilter: (sections, phrase) => (isPhrase(phrase) ? found(sections, phrase) : sections) },
  statePlugins: {
    layout: {
      wrapSelectors: {
        // The original has its state already.
        isShown:
          (original) =>
          (state, thing, ...rest) =>
            (thing[0] === "operations-tag" && thing.length === 2 && isPhrase(state.get("filter"))) ||
            original(thing, ...rest),
      },
    },
  },
});

// --- Credentials ------------------------------------------------------------------------------------------

// What a page can't send is not asked for: these are for the WebSocket.
const isSendable = (scheme) => !scheme.has("sessionCookie") && !scheme.has("sessionToken");

const FORM = /^(?:ses|flk|flt)_[\w-]{43}$/;

/** The fault of a token, in words; null for one that the server takes, and where it can't be asked. */
async function faultOf(token) {
  if (!FORM.test(token))
    return "This is no token: a session token is ses_ and 43 characters, an API key flk_ and 43 characters.";
  // A tracker's is refused everywhere but at the doors for apps.
  if (token.startsWith("flt_")) return null;
  const answer = await fetch("/v1/users/me", { headers: { authorization: `Bearer ${token}` } }).catch(
    () => null,
  );
  return answer?.status === 401 ? "The server refuses this token: it is unknown, or has ended." : null;
}

/** The token of a pasted text, which may be a whole header. */
const tokenIn = (text) =>
  String(text ?? "")
    .trim()
    .replace(/^(?:authorization:\s*)?bearer\s+/i, "");

/** Tries a bearer token before it counts as authorized, and says what is wrong with it. */
const authorize =
  (original, { errActions }) =>
  async (payload) => {
    if (!payload.bearer) return original(payload);
    const token = tokenIn(payload.bearer.value);
    errActions.clear({ authId: "bearer", type: "auth", source: "auth" });
    const message = await faultOf(token);
    if (message !== null)
      return errActions.newAuthErr({ authId: "bearer", level: "error", source: "auth", message });
    return original({ ...payload, bearer: { ...payload.bearer, value: token } });
  };

const credentials = {
  statePlugins: {
    auth: {
      wrapSelectors: {
        definitionsToAuthorize:
          (original) =>
          (...args) =>
            original(...args).filter(isSendable),
      },
      wrapActions: { authorizeWithPersistOption: authorize },
    },
  },
  wrapComponents: {
    authorizationPopup: (Original, system) => (props) => {
      const { createElement, useEffect } = system.React;
      // Every field of the dialog asks for the cursor, and the last one would get it.
      useEffect(() => document.querySelector(".auth-container input")?.focus(), []);
      return createElement(Original, props);
    },
  },
};

/** Forgets a kept token that the server no longer takes. */
async function dropEnded() {
  const { authSelectors, authActions } = ui.getSystem();
  const token = authSelectors.authorized().getIn(["bearer", "value"]);
  if (token && (await faultOf(token)) !== null) authActions.logoutWithPersistOption(["bearer"]);
}

const ui = SwaggerUIBundle({
  url: "/docs/json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  filter: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [groups, filter, credentials],
  onComplete: dropEnded,
});
