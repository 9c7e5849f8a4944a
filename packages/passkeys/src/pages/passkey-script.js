// The script of the pages with passkeys (I-56.7). It is one constant text: what it needs is in the attributes of the forms.
{
  const { PublicKeyCredential: passkeys, document } = window
  const conditional = { mediation: 'conditional' }
  /** Errors after which the user can try again on this page. */
  const retried = ['AccessDenied', 'CredentialsSignin', 'RateLimited', 'Unavailable']
  /** Milliseconds after which a page that waits gets new options: they expire after 15 minutes. */
  const RENEWAL = 600_000
  const tabs = new BroadcastChannel('latchkey.passkey')
  let controller
  let timer
  /** Whether the user has pressed a button, and that ceremony has not ended. */
  let isPressed = false

  const post = async (url, form, fields, ended) => {
    const body = new URLSearchParams({ ...Object.fromEntries(new FormData(form)), ...fields })
    const headers = { accept: 'application/json' }
    return (await fetch(url, { method: 'POST', headers, body, signal: ended })).json()
  }

  /** Tells the password manager. Most have no answer, and none changes this page. */
  const signal = ({ name, options }) => passkeys['signal' + name]?.(options).catch(() => {})

  const say = (form, text) => {
    const alert = form.querySelector('[role=alert]')
    // Screen readers announce a change of the text only while it is shown.
    alert.hidden = !text
    alert.textContent = text
  }

  /**
   * Performs a ceremony, and ends the one before: a page can have only one.
   *
   * @returns What the service has answered; undefined once the page is left
   */
  const perform = async (form, mediation, fields) => {
    controller?.abort()
    clearTimeout(timer)
    const { signal: ended } = (controller = new AbortController())
    const { credential } = form.elements
    credential.value = ''
    const isGet = form.dataset.passkey === 'get'
    // An answer that arrives late would replace the challenge of the next ceremony.
    const { publicKey, ...refused } = await post(form.dataset.options, form, fields, ended)
    ended.throwIfAborted()
    if (!publicKey) return refused
    tabs.postMessage('')
    const parse = isGet ? 'parseRequestOptionsFromJSON' : 'parseCreationOptionsFromJSON'
    const options = { publicKey: passkeys[parse](publicKey), signal: ended, ...mediation }
    credential.value = JSON.stringify(
      await navigator.credentials[isGet ? 'get' : 'create'](options),
    )
    // A registration can lead to a page with recovery codes.
    if (!isGet) return form.submit()
    const answer = await post(form.action, form)
    const { unknownCredential: credentialId } = answer
    const { rpId } = publicKey
    if (credentialId) await signal({ name: 'UnknownCredential', options: { rpId, credentialId } })
    return answer
  }

  /** Says on the button whether the page waits for a dialog of the browser. */
  const wait = (form, isWaiting) => {
    isPressed = isWaiting
    const { childNodes } = form.querySelector('button')
    const label = [...childNodes].find(({ data }) => data?.trim())
    form.dataset.label ??= label.data
    label.data = form.dataset[isWaiting ? 'waiting' : 'label']
  }

  /** Shows a sentence, and lets the user try again. */
  const retry = (form, text) => {
    wait(form, false)
    say(form, text)
    void fill(form)
  }

  /** Continues where the service says, or shows why it has refused. */
  const follow = (form, { url, error, message }) => {
    if (url && !retried.includes(error)) location.href = url
    else retry(form, message)
  }

  /** The user has pressed the button. */
  const use = async (form) => {
    wait(form, true)
    say(form, '')
    const ceremony = perform(form)
    const { signal: ended } = controller
    try {
      const answer = await ceremony
      if (answer) follow(form, answer)
    } catch ({ name }) {
      // The button was pressed again.
      if (ended.aborted) return
      const { registered, failed } = form.dataset
      const isCancelled = name === 'AbortError' || name === 'NotAllowedError'
      retry(form, isCancelled ? '' : name === 'InvalidStateError' ? registered : failed)
    }
  }

  /** Shows the passkeys in the fields of the page that have `autocomplete="… webauthn"`. */
  const fill = async (form) => {
    const { passkey, conditional: isAsked } = form.dataset
    if (passkey === 'create' || isAsked === undefined) return
    try {
      const isAvailable = await passkeys.isConditionalMediationAvailable?.()
      // The user can have pressed the button meanwhile.
      if (!isAvailable || isPressed) return
      const ceremony = perform(form, conditional)
      timer = setTimeout(() => void (document.hasFocus() ? fill(form) : fillOnFocus(form)), RENEWAL)
      const answer = await ceremony
      if (form.elements.credential.value) follow(form, answer)
    } catch {
      // The user has not asked for anything: the button remains.
    }
  }

  /** A browser has one challenge: only the page that the user looks at gets a new one. */
  const fillOnFocus = (form) => {
    window.onfocus = () => {
      window.onfocus = null
      void fill(form)
    }
  }

  /** Makes a passkey without asking: the user has just typed a password that the browser keeps. */
  const upgrade = async (form) => {
    try {
      const capabilities = await passkeys.getClientCapabilities?.()
      if (!capabilities?.conditionalCreate || isPressed) return
      await perform(form, conditional, { automatic: 'true' })
    } catch {
      // The user has not asked for anything: the button remains.
    }
  }

  if (passkeys?.parseRequestOptionsFromJSON) {
    const { signals = '[]' } = document.querySelector('[data-signals]')?.dataset ?? {}
    JSON.parse(signals).forEach(signal)
    document.querySelectorAll('[data-passkey]').forEach((form) => {
      const { passkey, conditional: isAsked } = form.dataset
      form.hidden = false
      form.onsubmit = (event) => {
        event.preventDefault()
        void use(form)
      }
      if (passkey === 'get') {
        void fill(form)
        // Another page has a challenge now, so the challenge of this page is gone.
        tabs.onmessage = () => fillOnFocus(form)
      } else if (isAsked !== undefined) void upgrade(form)
    })
  }
}
