import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Membership } from '../../subgraphs/kernel/credentials/public.ts'
import { escaped } from '../pages/escaped.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; place-items: start center; min-height: 100vh; }
main { width: min(26rem, calc(100vw - 2rem)); margin: 12vh 0 2rem; }
h1 { font-size: 1.25rem; }
label { display: block; margin: 1rem 0 0; }
input[type=email], input[type=password], select { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; }
button { font: inherit; margin: 1.25rem .75rem 0 0; padding: .5rem 1.25rem; }
[role=alert] { border-left: .25rem solid #b3261e; padding-left: .75rem; }
`
const styleHash = hash('sha256', style, 'base64')

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body><main>
<h1>${escaped(title)}</h1>
${content}
</main></body>
</html>
`

/** Forbids scripts, frames and other origins. A form may redirect to the app that requested the authorization. */
export function setPageHeaders(res: ServerResponse, redirectOrigins: readonly string[] = []): void {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action ${["'self'", ...redirectOrigins].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  res.setHeader('Content-Security-Policy', policy.join('; '))
  res.setHeader('X-Frame-Options', 'DENY')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cache-Control', 'no-store')
}

export const errorPage = (reason: string): string =>
  page('The authorization failed', `<p role="alert">${escaped(reason)}</p><p>Go back to the app and start again.</p>`)

export interface AuthorizationPage {
  /** The path of the page; its forms post to paths below it. */
  readonly path: string
  readonly appName: string
  readonly scopes: readonly string[]
}

const scopeList = ({ scopes }: AuthorizationPage): string =>
  `<p>It will be able to:</p><ul>${scopes.map((scope) => `<li><code>${escaped(scope)}</code></li>`).join('')}</ul>`

const cancelForm = ({ path }: AuthorizationPage): string =>
  `<form method="post" action="${escaped(path)}/decision"><button name="decision" value="deny">Cancel</button></form>`

export function signInPage(request: AuthorizationPage, problem: string | null, email = ''): string {
  return page(
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
  return page(
    `Allow ${request.appName} to act for you?`,
    `${scopeList(request)}
<p>It can never do more than you can. You can revoke this at any time under connected apps.</p>
<form method="post" action="${escaped(request.path)}/decision">
<label>Organization <select name="organization">${options.join('')}</select></label>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button>
</form>`,
  )
}
