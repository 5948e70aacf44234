// The look that was chosen on the Bridge, in this browser. Without it the page follows the system.
try {
  const look = localStorage.getItem("fairlead.look");
  if (look === "light" || look === "dark" || look === "night") document.documentElement.dataset.look = look;
} catch {
  // A browser that keeps nothing has no choice to follow.
}
