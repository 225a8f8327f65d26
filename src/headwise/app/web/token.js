// The token that a server may ask for: kept by this tab only, asked for once however many requests wait for it.

const KEY = "headwise-token";
let asking = null;

/** The token of this tab; empty if there is none. */
export const token = () => sessionStorage.getItem(KEY) ?? "";

/** Ask for a token, unless another than *used*, which was refused, is there by now. */
export function askToken(used) {
  if (token() !== used) return Promise.resolve();
  asking ??= prompt(used).finally(() => (asking = null));
  return asking;
}

function prompt(refused) {
  const dialog = document.getElementById("token");
  const value = document.getElementById("token-value");
  document.getElementById("token-why").textContent = refused ? "That token is not the right one." : "";
  value.value = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("cancel", (event) => event.preventDefault()); // nothing works without
    dialog.querySelector("form").addEventListener(
      "submit",
      () => {
        sessionStorage.setItem(KEY, value.value.trim());
        resolve();
      },
      { once: true },
    );
  });
}
