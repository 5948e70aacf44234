// Asks the browser for a passkey, and sends it as the form that stands around the button. What comes before this is ceremony.js.
for (const form of document.querySelectorAll("form[data-passkey]")) {
  // The server shows the form at its own origins alone.
  if (!mayUsePasskeys([location.origin])) continue;
  form.hidden = false;
  const refusal = form.querySelector("[role=alert]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    refusal.hidden = true;
    try {
      const credential = await askForPasskey(JSON.parse(form.dataset.passkey));
      form.elements.credential.value = JSON.stringify(credential);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      refusal.hidden = false;
      return;
    }
    // The box stands in the form of the other way.
    const stay = document.querySelector("input[type=checkbox][name=stay]");
    if (stay) form.elements.stay.value = stay.checked ? "1" : "";
    form.submit();
  });
}
