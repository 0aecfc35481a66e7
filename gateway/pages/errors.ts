import type { Request, RequestHandler, Response } from 'express'
import { errorTypeOf, isErrorCode, statusOfCode, type ErrorCode } from '../../subgraphs/kernel/errors.ts'
import { titleOfCode } from '../edge/titles.ts'
import { explanationOfCode } from './error-explanations.ts'
import { escaped } from './escaped.ts'

/** What `type` of a problem leads to: a page for people, JSON for programs. */
export interface ErrorDescription {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  readonly meaning: string
  readonly action: string
}

const describe = (code: ErrorCode): ErrorDescription => ({
  type: errorTypeOf(code),
  title: titleOfCode[code],
  status: statusOfCode[code],
  code,
  ...explanationOfCode[code],
})

const all = Object.keys(statusOfCode).filter(isErrorCode).map(describe)
const byType = new Map(all.map((described) => [described.type, described]))

/** Text in which words in backquotes are code. */
const asHtml = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const articleOf = ({ type, title, status, code, meaning, action }: ErrorDescription): string => `
  <article>
    <h2><a href="${type}"><code>${code}</code></a> ${escaped(title)}</h2>
    <p>${asHtml(meaning)}</p>
    <p>${asHtml(action)}</p>
    <p class="note">HTTP status ${status}</p>
  </article>`

/** Sends the template of the error pages with this content. */
export type SendErrors = (req: Request, res: Response, title: string, content: string) => Promise<void>

const wantsPage = (req: Request): boolean =>
  req.accepts(['application/json', 'application/problem+json', 'text/html']) === 'text/html'

function sendDescribed(req: Request, res: Response, value: unknown): void {
  res.set('Cache-Control', 'public, max-age=3600').json(value)
}

/** `GET /errors`: all codes. */
export const errorList =
  (sendErrors: SendErrors): RequestHandler =>
  (req, res) => {
    res.vary('Accept')
    if (!wantsPage(req)) return sendDescribed(req, res, all)
    return sendErrors(req, res, 'Error codes', all.map(articleOf).join(''))
  }

/** `GET /errors/<code>`: one code, as in `type` of a problem. */
export const errorPage =
  (sendErrors: SendErrors): RequestHandler =>
  (req, res, next) => {
    const described = byType.get(req.path)
    if (!described) return next()
    res.vary('Accept')
    if (!wantsPage(req)) return sendDescribed(req, res, described)
    return sendErrors(req, res, described.title, articleOf(described))
  }
