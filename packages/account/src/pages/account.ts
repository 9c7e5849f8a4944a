import type {
  AccountSection,
  EnrolmentForm,
  HeldFactors,
  ShownFactor,
  WayLink,
  Markup,
  PageContext,
} from '@latchkey/core/capability'
import type {
  SessionInfo,
  AccountMessages,
  Provider,
  AccountInfo,
  StoredUser,
  FactorInfo,
} from '@latchkey/core'
import {
  describeBrowser,
  getAccountTexts,
  toTypeName,
  alert,
  backLink,
  fill,
  providerForms,
} from '@latchkey/core/capability/pages'
import { html, hiddenFields, layout } from '@latchkey/core/capability'

/** The values of {@link renderAccountPage}. */
export interface AccountView extends PageContext {
  /** The absolute URL of the base path. */
  readonly base: string
  /** The absolute URL of this page. */
  readonly url: string
  readonly csrfToken: string
  /** One of our texts; nothing of the request is repeated. */
  readonly message: string | undefined
  /** Whether a change was just stored. */
  readonly isSaved: boolean
  readonly user: Pick<StoredUser, 'name' | 'email' | 'emailVerified'>
  readonly accounts: readonly AccountInfo[]
  readonly factors: readonly FactorInfo[]
  readonly sessions: readonly SessionInfo[]
  /** The accounts that may be removed. */
  readonly removable: ReadonlySet<AccountInfo>
  /** The names of providers, by id. */
  readonly names: ReadonlyMap<string, string>
  /** The providers by which a further account can be linked. */
  readonly providers: readonly Provider[]
  /** The id of the provider that proves a new email address; undefined without sign-in by email. */
  readonly emailProvider: string | undefined
  /** The forms with which the user enrols a second factor, or replaces its backups. */
  readonly forms: readonly EnrolmentForm[]
  /** Returns whether a factor of this type only stands in for others. */
  readonly isBackup: (type: string) => boolean
  /** The factors by which the user signs in. */
  readonly ofSections: readonly {
    readonly section: AccountSection
    readonly held: HeldFactors
  }[]
  /** What the scripts of providers are told in addition. */
  readonly gone: object | undefined
  /** Formats the days of times. It is slow to create. */
  readonly days: Intl.DateTimeFormat
}

/** Renders the page on which users see and change what the service keeps of them (I-54). */
export function renderAccountPage(view: AccountView): string {
  const texts = getAccountTexts(view.language.messages)
  return layout(
    view,
    texts.heading,
    html`<h1>${texts.heading}</h1>
      ${view.message === undefined ? undefined : alert(view.message)}
      ${view.isSaved ? html`<p role="status">${texts.saved}</p>` : undefined}
      ${section('profile', texts.profile, profile(view, texts))}
      ${section('ways', texts.ways, ways(view, texts))}
      ${secondFactors(view, texts)}
      ${section('sessions', texts.sessions, sessions(view, texts))}
      ${section('delete', texts.deleteAccount, deletion(view, texts))}
      <p class="links"><a href="${view.base}/signout">${view.language.messages.signOut}</a></p>
      ${backLink(view)}`,
  )
}

/** Renders the page that follows the deletion of an account. */
export function renderDeletedPage(view: PageContext): string {
  const { deleted, deletedText } = getAccountTexts(view.language.messages)
  return layout(
    view,
    deleted,
    html`<h1>${deleted}</h1>
      <p class="muted">${deletedText}</p>
      ${backLink(view)}`,
  )
}

function section(id: string, heading: string, content: Markup): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-heading">
    <h2 id="${id}-heading">${heading}</h2>
    ${content}
  </section>`
}

function profile(view: AccountView, texts: AccountMessages): Markup {
  const { user, language, emailProvider } = view
  const email = html`<p>
    ${language.messages.email}<br /><bdi>${user.email ?? '–'}</bdi>
    ${user.email !== null && !user.emailVerified ? html`(${texts.notVerified})` : undefined}
  </p>`
  return html`${changeForm(
    view,
    { action: 'changeName' },
    html`<label for="name">${texts.name}</label>
      <input id="name" name="name" maxlength="255" autocomplete="name" value="${user.name ?? ''}" />
      <button type="submit">${texts.save}</button>`,
  )}
  ${email} ${emailProvider === undefined ? undefined : emailChange(view, texts, emailProvider)}`
}

function emailChange(
  { base, url, csrfToken, language }: AccountView,
  { changeEmail, changeEmailText }: AccountMessages,
  provider: string,
): Markup {
  const fields = { csrfToken, callbackUrl: url, changeEmail: 'true' }
  return html`<details>
    <summary>${changeEmail}</summary>
    <p class="muted">${changeEmailText}</p>
    <form method="post" action="${base}/signin/${provider}">
      ${hiddenFields(fields)}
      <label for="new-email">${language.messages.email}</label>
      <input
        id="new-email"
        type="email"
        name="email"
        required
        maxlength="254"
        autocomplete="email"
      />
      <button type="submit">${changeEmail}</button>
    </form>
  </details>`
}

function ways(view: AccountView, texts: AccountMessages): Markup {
  const { accounts, names, providers, csrfToken, url } = view
  const items = accounts.map((account) => {
    const { provider, type, providerAccountId: id } = account
    const name = names.get(provider) ?? provider
    const button = changeForm(
      view,
      { action: 'unlink', provider, id },
      html`<button type="submit" aria-label="${texts.remove}: ${type === 'email' ? id : name}">
        ${texts.remove}
      </button>`,
    )
    const shown = type === 'email' ? html`<bdi>${id}</bdi>` : html`<strong>${name}</strong>`
    return item(shown, [], view.removable.has(account) ? button : undefined)
  })
  const forms = { csrfToken, callbackUrl: url, message: undefined, typed: undefined }
  const add = html`<details>
    <summary>${texts.addWay}</summary>
    ${providerForms({ ...view, ...forms, signedInAs: '', hidden: { link: 'true' } })}
  </details>`
  const held = view.ofSections.flatMap(({ section: { actions }, held: { factors, missing } }) => [
    ...factors.map((factor) => wayItem(view, texts, factor, actions)),
    ...(missing
      ? [item(html`<strong>${missing.typeName}</strong>`, [], linkButton(missing.link))]
      : []),
  ])
  const all = [...items, ...held]
  const further = view.ofSections.map(({ section: each, held: factors }) => {
    // Only after a change: a list that is older than a new passkey would let the password manager forget that one.
    const changed = view.isSaved ? factors.forScript : []
    const forScript = view.gone ? [view.gone] : changed
    return each.render?.({ ...view, callbackUrl: url }, { ...factors, forScript })
  })
  return html`${list(all)} ${further} ${providers.length > 0 ? add : undefined}`
}

function linkButton({ url, text }: WayLink): Markup {
  return html`<div><a class="button" href="${url}">${text}</a></div>`
}

/** Renders a factor by which the user signs in: with a link to the form that changes it, or with a form that renames it. */
function wayItem(
  view: AccountView,
  texts: AccountMessages,
  factor: ShownFactor,
  actions: AccountSection['actions'],
): Markup {
  const { link, typeName, isRemovable = true } = factor
  if (!link) return changeableItem(view, texts, { ...factor, fields: {}, actions })
  const button = changeForm(
    view,
    { action: actions.remove },
    html`<button type="submit" aria-label="${texts.remove}: ${typeName}">${texts.remove}</button>`,
  )
  const change = html`<a class="button" href="${link.url}">${link.text}</a>`
  return item(
    html`<strong>${typeName}</strong>`,
    listTimes(view, texts, factor),
    html`<div>${change} ${isRemovable ? button : undefined}</div>`,
  )
}

/** Renders the second factors, except what a provider shows: that is among the ways to sign in. */
function secondFactors(view: AccountView, texts: AccountMessages): Markup | undefined {
  const isEnrolled = view.factors.some(({ type }) => !view.isBackup(type))
  const forms = view.forms.filter(({ button }) => isEnrolled || button !== undefined)
  if (forms.length === 0) return undefined
  const isElsewhere = (of: string): boolean =>
    view.ofSections.some(({ section: { type } }) => type === of)
  const items = view.factors
    .filter(({ type }) => !isElsewhere(type))
    .map((factor) => factorItem(view, texts, factor))
  const buttons = forms.map(({ id, button = texts.newCodes }) => methodForm(view, id, button))
  const held = items.length > 0 ? list(items) : undefined
  const none = html`<p class="muted">${texts.noFactors}</p>`
  return section('factors', texts.factors, html`${isEnrolled ? held : none}${buttons}`)
}

function factorItem(view: AccountView, texts: AccountMessages, factor: FactorInfo): Markup {
  const { type } = factor
  const typeName = toTypeName(texts, type)
  if (!view.isBackup(type)) {
    const actions = { rename: 'renameFactor', remove: 'removeFactor' }
    return changeableItem(view, texts, {
      ...factor,
      typeName,
      facts: [],
      fields: { type },
      actions,
    })
  }
  return item(html`<strong>${factor.name ?? typeName}</strong>`, listTimes(view, texts, factor))
}

function listTimes(
  view: AccountView,
  texts: AccountMessages,
  { createdAt, lastUsedAt }: Pick<FactorInfo, 'createdAt' | 'lastUsedAt'>,
): readonly (string | undefined)[] {
  return [
    fillDay(view, texts.added, createdAt),
    lastUsedAt === null ? undefined : fillDay(view, texts.lastUsed, lastUsedAt),
  ]
}

/** A factor that can be renamed and removed. */
interface Changeable extends ShownFactor {
  /** What its forms post besides `action` and `id`. */
  readonly fields: Readonly<Record<string, string>>
  readonly actions: AccountSection['actions']
}

function changeableItem(view: AccountView, texts: AccountMessages, factor: Changeable): Markup {
  const { id, name, typeName, fields, actions } = factor
  const shown = name ?? typeName
  const facts = [...listTimes(view, texts, factor), ...factor.facts]
  const inputId = `name-${id}`
  return item(
    html`<strong><bdi>${shown}</bdi></strong>`,
    facts,
    html`<details>
      <summary>${texts.rename}</summary>
      ${changeForm(
        view,
        { action: actions.rename ?? '', ...fields, id },
        html`<label for="${inputId}">${texts.name}</label>
          <input id="${inputId}" name="name" maxlength="64" value="${name ?? ''}" />
          <button type="submit">${texts.save}</button>`,
      )}
      ${changeForm(
        view,
        { action: actions.remove, ...fields, id },
        html`<button type="submit" aria-label="${texts.remove}: ${shown}">${texts.remove}</button>`,
      )}
    </details>`,
  )
}

/** Renders the button that begins to enrol a factor, or replaces recovery codes (I-53). */
function methodForm({ base, url, csrfToken }: AccountView, id: string, text: string): Markup {
  return html`<form method="post" action="${base}/signin/${id}">
    ${hiddenFields({ csrfToken, callbackUrl: url, link: 'true' })}
    <button type="submit">${text}</button>
  </form>`
}

function sessions(view: AccountView, texts: AccountMessages): Markup {
  const items = view.sessions.map(({ id, userAgent, createdAt, isCurrent }) => {
    const browser = describeBrowser(userAgent) ?? texts.unknownBrowser
    const button = changeForm(
      view,
      { action: 'endSession', id },
      html`<button type="submit" aria-label="${texts.endSession}: ${browser}">
        ${texts.endSession}
      </button>`,
    )
    const facts = [isCurrent ? texts.thisBrowser : undefined, fillDay(view, texts.since, createdAt)]
    return item(html`<strong><bdi>${browser}</bdi></strong>`, facts, isCurrent ? undefined : button)
  })
  const endOthers = changeForm(
    view,
    { action: 'endOtherSessions' },
    html`<button type="submit">${texts.endOtherSessions}</button>`,
  )
  return html`${list(items)} ${view.sessions.length > 1 ? endOthers : undefined}`
}

function deletion(view: AccountView, texts: AccountMessages): Markup {
  return html`<details>
    <summary>${texts.deleteAccount}</summary>
    <p>${texts.deleteText}</p>
    ${changeForm(
      view,
      { action: 'deleteAccount' },
      html`<label
          ><input type="checkbox" name="sure" value="true" required />${texts.deleteSure}</label
        >
        <button type="submit" class="danger">${texts.deleteAccount}</button>`,
    )}
  </details>`
}

/** Renders a form that posts to the page itself. */
function changeForm(
  { url, csrfToken }: AccountView,
  fields: Readonly<Record<string, string>>,
  content: Markup,
): Markup {
  return html`<form method="post" action="${url}">
    ${hiddenFields({ csrfToken, ...fields })} ${content}
  </form>`
}

function list(items: readonly Markup[]): Markup {
  return html`<ul>
    ${items}
  </ul>`
}

function item(name: Markup, facts: readonly (string | undefined)[], form?: Markup): Markup {
  const shown = facts.filter((fact) => fact !== undefined).join(' · ')
  return html`<li>
    <div>${name} ${shown === '' ? undefined : html`<p class="muted">${shown}</p>`}</div>
    ${form}
  </li>`
}

/** Fills a text with the day of a time, in UTC: the browser does not say where it is. */
function fillDay({ days }: AccountView, text: string, time: number): string {
  return fill(text, days.format(time * 1000))
}
