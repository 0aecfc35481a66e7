import type { FieldProblem } from '../../kernel/errors.ts'
import { appScopes } from '../../kernel/scope-areas.ts'
import { rateLimitProblems, scopeProblems } from '../credential/grant.rules.ts'
import type { OAuthApp } from './oauth-app.ts'

type Values = Pick<OAuthApp, 'type' | 'redirectUris' | 'scopes' | 'rateLimit' | 'homepageUrl'>

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]'])
/** Clients that register themselves often use this name of the device. */
export const loopbackNames: ReadonlySet<string> = new Set([...loopback, 'localhost'])

/** Whether all URL parsers read the text in the same way: parsing changes nothing, except that it adds the slash after an origin. */
const isPlain = (text: string, { href }: URL): boolean =>
  !/[\s\\\p{Cc}]/u.test(text) && (href === text || href === `${text}/`)

/** Whether no attacker can receive requests at this URI: https, or http to the loopback address of the user's device (RFC 8252). */
export function isSafeRedirect(text: string, type: Values['type'], hosts = loopback): boolean {
  const url = URL.parse(text)
  if (!url || !isPlain(text, url) || text.includes('#') || url.username || url.password || text.includes('*'))
    return false
  if (url.protocol === 'https:') return type === 'CONFIDENTIAL' || !hosts.has(url.hostname)
  return url.protocol === 'http:' && type === 'PUBLIC' && hosts.has(url.hostname)
}

function redirectProblems({ type, redirectUris }: Values): FieldProblem[] {
  if (type === 'PUBLIC' && redirectUris.length === 0) {
    return [{ path: 'redirectUris', code: 'EMPTY', message: 'A PUBLIC app must have at least one redirect URI.' }]
  }
  return redirectUris.flatMap((uri, index) =>
    isSafeRedirect(uri, type)
      ? []
      : {
          path: `redirectUris.${index}`,
          code: 'NOT_A_REDIRECT_URI',
          message:
            `redirectUris.${index} must be an https URL without fragment, or for a PUBLIC app an http URL with the host 127.0.0.1 ` +
            'or [::1], in its normalized form.',
        },
  )
}

function homepageProblems({ homepageUrl }: Values): FieldProblem[] {
  if (homepageUrl === null || homepageUrl === undefined || URL.parse(homepageUrl)?.protocol === 'https:') return []
  return [{ path: 'homepageUrl', code: 'NOT_AN_ADDRESS', message: 'homepageUrl must be an https URL.' }]
}

export const oauthAppProblems = (next: Values): FieldProblem[] => [
  ...redirectProblems(next),
  ...scopeProblems('An app', next.scopes, (scope) => appScopes.includes(scope)),
  ...homepageProblems(next),
  ...rateLimitProblems(next.rateLimit),
]
