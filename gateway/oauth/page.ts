import type { Membership } from '../../subgraphs/kernel/credentials/public.ts'
import { scopeSentences } from '../../subgraphs/kernel/scope-areas.ts'
import { escaped } from '../pages/escaped.ts'
import { plainPage } from '../pages/plain-page.ts'

export const errorPage = (reason: string): string =>
  plainPage(
    'The authorization failed',
    `<p role="alert">${escaped(reason)}</p><p>Go back to the app and start again.</p>`,
  )

export interface AuthorizationPage {
  /** The path of the page; its forms post to paths below it. */
  readonly path: string
  readonly appName: string
  readonly scopes: readonly string[]
  /** Where the browser is sent afterwards: what the app calls itself proves nothing. */
  readonly host: string
  /** Whether the app registered itself. */
  readonly isOpen: boolean
}

/** What a scope opens, and its name. */
const explained = (scope: string): string =>
  `${escaped(scopeSentences.get(scope) ?? '')} <code>${escaped(scope)}</code>`

const scopeList = ({ scopes, isOpen }: AuthorizationPage): string =>
  `<p>${isOpen ? 'It asks for:' : 'It will be able to:'}</p><ul>${scopes.map((scope) => `<li>${explained(scope)}</li>`).join('')}</ul>`

/** The name of the app, or its address where nobody vouches for its name. */
const called = ({ appName, host, isOpen }: AuthorizationPage): string =>
  isOpen ? `An unverified app at ${host}` : appName

const warning = ({ appName, host, isOpen }: AuthorizationPage): string =>
  isOpen
    ? `<p role="alert"><strong>Nobody has verified this app.</strong> It calls itself “<bdi>${escaped(appName)}</bdi>”, and any app can call
itself so. What it receives goes to <strong>${escaped(host)}</strong>. Go on only if you started this yourself, in an app that you know.</p>`
    : ''

/** The user ticks what an unverified app may do; nothing that changes records is ticked before. */
function scopeChoice({ scopes }: AuthorizationPage): string {
  const isReading = (scope: string): boolean => scope.startsWith('READ_')
  const box = (scope: string): string =>
    `<label><input type="checkbox" name="scope" value="${escaped(scope)}"${isReading(scope) ? ' checked' : ''}> ${explained(scope)}</label>`
  const group = (legend: string, members: readonly string[]): string =>
    members.length === 0 ? '' : `<fieldset><legend>${legend}</legend>${members.map(box).join('')}</fieldset>`
  return (
    group('It may read', scopes.filter(isReading)) +
    group(
      'It may also change',
      scopes.filter((scope) => !isReading(scope)),
    )
  )
}

const cancelForm = ({ path }: AuthorizationPage): string =>
  `<form method="post" action="${escaped(path)}/decision"><button name="decision" value="deny">Cancel</button></form>`

export function signInPage(request: AuthorizationPage, problem: string | null, email = ''): string {
  return plainPage(
    `${called(request)} asks to act for you`,
    `${warning(request)}${scopeList(request)}
${problem === null ? '' : `<p role="alert">${escaped(problem)}</p>`}
<form method="post" action="${escaped(request.path)}/sign-in">
<label>Email <input type="email" name="email" value="${escaped(email)}" autocomplete="username" required></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>
${cancelForm(request)}`,
  )
}

export function consentPage(
  request: AuthorizationPage,
  memberships: readonly Membership[],
  problem: string | null = null,
): string {
  const options = memberships.map(
    ({ organizationId, organizationName }) =>
      `<option value="${escaped(organizationId)}">${escaped(organizationName)}</option>`,
  )
  return plainPage(
    request.isOpen
      ? `Allow an unverified app at ${request.host} to act for you?`
      : `Allow ${request.appName} to act for you?`,
    `${warning(request)}${problem === null ? '' : `<p role="alert">${escaped(problem)}</p>`}
${request.isOpen ? '' : scopeList(request)}
<p>Afterwards your browser is sent to <strong>${escaped(request.host)}</strong>. Allow it only if you know this address.</p>
<p>It can never do more than you can. You can revoke this at any time under connected apps.</p>
<form method="post" action="${escaped(request.path)}/decision">
${request.isOpen ? scopeChoice(request) : ''}
<label>Organization <select name="organization">${options.join('')}</select></label>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button>
</form>`,
  )
}
