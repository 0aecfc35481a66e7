import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { readBody } from '../edge/body.ts'
import { escaped } from './escaped.ts'

// Pages with forms, without scripts and without files.

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; place-items: start center; min-height: 100vh; }
main { width: min(26rem, calc(100vw - 2rem)); margin: 12vh 0 2rem; }
main.wide { width: min(60rem, calc(100vw - 4rem)); margin: 3rem 0; }
h1 { font-size: 1.25rem; }
h2 { font-size: 1rem; margin: 2rem 0 0; }
label { display: block; margin: 1rem 0 0; }
input[type=email], input[type=password], input[type=text], select, textarea { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; }
button { font: inherit; margin: 1.25rem .75rem 0 0; padding: .5rem 1.25rem; }
table { border-collapse: collapse; width: 100%; margin: 1.5rem 0; }
th, td { padding: .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid #8884; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }
dd { margin: 0; }
[role=alert] { border-left: .25rem solid #b3261e; padding-left: .75rem; }
[role=status] { border-left: .25rem solid #2e7d32; padding-left: .75rem; }
`

/** `content` is HTML, already escaped. */
export const plainPage = (title: string, content: string, { isWide = false } = {}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body><main${isWide ? ' class="wide"' : ''}>
<h1>${escaped(title)}</h1>
${content}
</main></body>
</html>
`

export interface PagePolicy {
  /** A form may be sent to this origin, and redirect to these ones. */
  readonly redirectOrigins?: readonly string[]
  /** The style sheets in the page. */
  readonly styles?: readonly string[]
  /** Whether the page shows images of this origin. */
  readonly imagesFromHere?: boolean
}

/** Forbids scripts, frames and other origins. */
export function setPageHeaders(
  res: ServerResponse,
  { redirectOrigins = [], styles = [style], imagesFromHere = false }: PagePolicy = {},
): void {
  const allowed = styles.map((text) => `'sha256-${hash('sha256', text, 'base64')}'`)
  const policy = [
    "default-src 'none'",
    `style-src ${allowed.join(' ')}`,
    ...(imagesFromHere ? ["img-src 'self'"] : []),
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

export function sendPage(
  res: ServerResponse,
  status: number,
  html: string,
  redirectOrigins: readonly string[] = [],
): void {
  setPageHeaders(res, { redirectOrigins })
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.end(html)
}

/** The fields of a form that a browser sent. */
export async function formOf(req: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) {
    throw new Refusal(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be a form; send Content-Type: application/x-www-form-urlencoded.',
    )
  }
  return new URLSearchParams((await readBody(req)).toString('utf8'))
}
