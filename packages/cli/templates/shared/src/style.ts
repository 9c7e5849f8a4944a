/** The style sheet of the pages. */
export const style = `:root {
  color-scheme: light dark;
  --accent: light-dark(#0f5ec7, #8ab8ff);
  font:
    1rem/1.5 system-ui,
    sans-serif;
}
body {
  margin: 0;
  min-height: 100dvh;
  display: grid;
  place-items: center;
  background: light-dark(#f5f6f8, #14161a);
  color: light-dark(#1a1d21, #e8eaed);
}
main {
  box-sizing: border-box;
  width: min(26rem, 100vw - 2rem);
  padding: 2rem;
  border: 1px solid light-dark(#dcdfe4, #30343b);
  border-radius: 0.75rem;
  background: light-dark(#fff, #1d2026);
}
h1 {
  margin: 0 0 0.5rem;
  font-size: 1.5rem;
  overflow-wrap: anywhere;
}
a {
  color: var(--accent);
}
nav {
  display: flex;
  flex-wrap: wrap;
  gap: 1rem;
  align-items: center;
  margin-top: 1.5rem;
}
.button {
  padding: 0.5rem 1rem;
  border: 0;
  border-radius: 0.5rem;
  background: var(--accent);
  color: light-dark(#fff, #14161a);
  font: inherit;
  text-decoration: none;
  cursor: pointer;
}
`
