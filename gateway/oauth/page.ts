import type { Membership } from '../../subgraphs/kernel/credentials/public.ts'
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
}

const scopeList = ({ scopes }: AuthorizationPage): string =>
  `<p>It will be able to:</p><ul>${scopes.map((scope) => `<li><code>${escaped(scope)}</code></li>`).join('')}</ul>`

const cancelForm = ({ path }: AuthorizationPage): string =>
  `<form method="post" action="${escaped(path)}/decision"><button name="decision" value="deny">Cancel</button></form>`

export function signInPage(request: AuthorizationPage, problem: string | null, email = ''): string {
  return plainPage(
    `${request.appName} asks to act for you`,
    `${scopeList(request)}
${problem === null ? '' : `<p role="alert">${escaped(problem)}</p>`}
<form method="post" action="${escaped(request.path)}/sign-in">
<label>Email <input type="email" name="email" value="${escaped(email)}" autocomplete="username" required></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>
${cancelForm(request)}`,
  )
}

export function consentPage(request: AuthorizationPage, memberships: readonly Membership[]): string {
  const options = memberships.map(
    ({ organizationId, organizationName }) =>
      `<option value="${escaped(organizationId)}">${escaped(organizationName)}</option>`,
  )
  return plainPage(
    `Allow ${request.appName} to act for you?`,
    `${scopeList(request)}
<p>Afterwards your browser is sent to <strong>${escaped(request.host)}</strong>. Allow it only if you know this address.</p>
<p>It can never do more than you can. You can revoke this at any time under connected apps.</p>
<form method="post" action="${escaped(request.path)}/decision">
<label>Organization <select name="organization">${options.join('')}</select></label>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button>
</form>`,
  )
}
