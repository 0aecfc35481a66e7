import { Router, type NextFunction, type Request, type Response } from 'express'
import { parseCookie } from 'cookie'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { asClientsSee } from '../../subgraphs/kernel/own-load.ts'
import { csrfCookie } from '../edge/cookies.ts'
import type { Edge } from '../edge/edge.ts'
import { presentedBy } from '../edge/presented.ts'
import { requestIdOf } from '../edge/problem.ts'
import { refuseOtherThan } from '../edge/refuse-other-than.ts'
import type { Graph } from '../graph/graph.ts'
import { escaped } from '../pages/escaped.ts'
import { formOf, plainPage, sendPage } from '../pages/plain-page.ts'

export interface ConfirmPageOptions {
  readonly edge: Pick<Edge, 'admit' | 'spend' | 'refuse'>
  readonly graph: Pick<Graph, 'prepare' | 'authorize' | 'execute'>
}

interface Shown {
  readonly summary: string
  readonly input: Readonly<Record<string, unknown>>
  readonly before: Readonly<Record<string, unknown>> | null
  readonly status: string
  readonly influencedBy: readonly { readonly entityType: string; readonly label: string | null }[]
}

const fields = 'summary input before status influencedBy { entityType label }'
const documents = {
  read: `query proposalPage($id: ID!) { result: proposal(id: $id) { ${fields} } }`,
  confirm: `mutation proposalPageConfirm($id: ID!) { result: proposalConfirm(id: $id) { ${fields} } }`,
  reject: `mutation proposalPageReject($id: ID!) { result: proposalReject(id: $id) { ${fields} } }`,
}

const base = '/proposals/:id'
const pathOf = (req: Request): string => `/proposals/${encodeURIComponent(String(req.params['id']))}`
const say = (title: string, text: string): string => plainPage(title, `<p role="status">${escaped(text)}</p>`)
/** Characters of a value before the change. What will be written is shown whole, because a person confirms it. */
const oldMax = 5_000
const shown = (value: unknown): string => escaped(JSON.stringify(value) ?? '')

function shownOld(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return escaped(text.length > oldMax ? `${text.slice(0, oldMax).toWellFormed()}…` : text)
}

/** What is proposed, from the stored proposal alone: nothing of it is words of the client that proposes it. */
function proposalPage(path: string, proposal: Shown, csrf: string): string {
  const { summary, input, before, influencedBy } = proposal
  const rows = Object.entries(input).map(
    ([name, value]) =>
      `<tr><th scope="row">${escaped(name)}</th><td>${before && name in before ? shownOld(before[name]) : ''}</td><td>${shown(value)}</td></tr>`,
  )
  const read = influencedBy.map(({ entityType, label }) => escaped(`${entityType} ${label ?? ''}`)).join(', ')
  return plainPage(
    'Make this change?',
    `<p>${escaped(summary)}</p>
<table><thead><tr><th>Field</th><th>Before</th><th>After</th></tr></thead><tbody>${rows.join('')}</tbody></table>
${read === '' ? '' : `<p>It was proposed after these records were read: ${read}.</p>`}
<form method="post" action="${escaped(path)}/decision"><input type="hidden" name="csrf" value="${escaped(csrf)}">
<button name="decision" value="confirm">Make the change</button><button name="decision" value="reject">Reject</button></form>`,
    { isWide: true },
  )
}

/** The page on which a signed-in user confirms a change that a client proposes which cannot ask. */
export function confirmPage({ edge, graph }: ConfirmPageOptions): Router {
  /** The user of the session cookie; null without a session. */
  async function signedIn(req: Request, res: Response): Promise<Caller | null> {
    if (presentedBy(req.headers).kind !== 'COOKIE') return null
    const admission = await edge.admit(req, res)
    if (admission.caller.kind !== 'SESSION') return null
    await edge.spend(admission, res)
    return admission.caller
  }

  async function run(res: Response, caller: Caller, document: string, id: string): Promise<Shown> {
    const prepared = graph.prepare(document)
    graph.authorize(prepared, caller)
    const context = { caller, requestId: requestIdOf(res), idempotency: null }
    const { data, errors } = await graph.execute(prepared, { id }, context)
    const [error] = errors ?? []
    const code = asClientsSee(error?.extensions)?.['code']
    if (error) throw new Refusal(code as never, error.message, { ...asClientsSee(error.extensions) })
    return data!['result'] as Shown
  }

  const signInFirst = (res: Response): void =>
    sendPage(res, 401, say('Sign in first', 'Sign in to the application in this browser, and open the link again.'))

  async function show(req: Request, res: Response): Promise<void> {
    const caller = await signedIn(req, res)
    if (!caller) return signInFirst(res)
    const proposal = await run(res, caller, documents.read, String(req.params['id']))
    if (proposal.status !== 'PENDING')
      return sendPage(res, 200, say('Nothing to confirm', `The proposal is ${proposal.status}.`))
    const csrf = parseCookie(req.headers.cookie ?? '')[csrfCookie]
    // Browsers send the cookie with the token only from a page of this site.
    const onward = `<p><a href="${escaped(pathOf(req))}">Show the proposed change</a></p>`
    sendPage(res, 200, csrf ? proposalPage(pathOf(req), proposal, csrf) : plainPage('A proposed change', onward))
  }

  async function decide(req: Request, res: Response): Promise<void> {
    const form = await formOf(req)
    // A form cannot send a header.
    req.headers['x-csrf-token'] = form.get('csrf') ?? ''
    const caller = await signedIn(req, res)
    if (!caller) return signInFirst(res)
    const isConfirmed = form.get('decision') === 'confirm'
    const id = String(req.params['id'])
    await run(res, caller, isConfirmed ? documents.confirm : documents.reject, id)
    sendPage(
      res,
      200,
      say(isConfirmed ? 'Done' : 'Rejected', isConfirmed ? 'The change is made.' : 'Nothing was changed.'),
    )
  }

  const router = Router({ caseSensitive: true })
  router.get(base, show)
  router.all(base, refuseOtherThan('GET', 'HEAD'))
  router.post(`${base}/decision`, decide)
  router.all(`${base}/decision`, refuseOtherThan('POST'))
  router.use('/proposals', (error: unknown, req: Request, res: Response, _next: NextFunction) => {
    if (!(error instanceof Refusal) || error.status >= 500) return edge.refuse(error, req, res)
    const { retryAfter } = error.extensions
    if (retryAfter !== undefined) res.setHeader('Retry-After', Number(retryAfter))
    sendPage(res, error.status, say('Nothing was changed', error.message))
  })
  return router
}
