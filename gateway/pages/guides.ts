import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Request, RequestHandler, Response } from 'express'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { escaped } from './escaped.ts'
import { htmlOf } from './markdown.ts'

/** The guides by their readers, in the order of the list; each is a Markdown file in `guides`. */
export const guides = {
  'Clients of the API': [
    'sign-in',
    'list-and-page',
    'search',
    'sync',
    'bulk',
    'verify-a-webhook',
    'quote-to-cash',
    'live-board',
    'custom-fields',
    'custom-objects',
    'record-pages',
    'configuration-as-code',
    'command-line',
    'scopes',
    'web-pages',
    'agents',
    'generated-clients',
  ],
  Operators: ['configuration', 'several-processes', 'operating', 'backups-and-upgrades'],
  Contributors: ['contributing'],
} as const satisfies Readonly<Record<string, readonly string[]>>

const names: ReadonlySet<string> = new Set(Object.values(guides).flat())

interface Guide {
  readonly title: string
  readonly html: string
}

/** Links between guides lead to their pages, and links to other files of the project are only text. */
function hrefOf(link: string): string | null {
  if (/^(?:https?:|#|\/)/.test(link)) return link
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(link) ?? []
  return name && names.has(name) ? `/docs/guides/${name}${anchor}` : null
}

async function read(name: string): Promise<Guide> {
  const text = await readFile(join(projectRoot, 'gateway/pages/guides', `${name}.md`), 'utf8')
  const title = /^# (.*)$/m.exec(text)![1]!
  return { title, html: await htmlOf(text, hrefOf) }
}

/** Rendered when first read. The files of the project bound its size. */
const rendered = new Map<string, Promise<Guide>>()

function guide(name: string): Promise<Guide> {
  const found = rendered.get(name) ?? read(name)
  rendered.set(name, found)
  return found
}

/** Sends the template of pages of text with this title and HTML. */
export type SendGuide = (req: Request, res: Response, title: string, content: string) => Promise<void>

async function listed(): Promise<string> {
  const groups = Object.entries(guides).map(async ([readers, group]) => {
    const items = group.map(
      async (name) => `<li><a href="/docs/guides/${name}">${escaped((await guide(name)).title)}</a></li>`,
    )
    return `<h2>${readers}</h2><ul>${(await Promise.all(items)).join('')}</ul>`
  })
  return (await Promise.all(groups)).join('')
}

/** `GET /docs/guides`. */
export const guideList =
  (send: SendGuide): RequestHandler =>
  async (req, res) =>
    send(req, res, 'Guides', await listed())

/** `GET /docs/guides/<name>`. */
export const guidePage =
  (send: SendGuide): RequestHandler =>
  async (req, res, next) => {
    const { name } = req.params
    if (typeof name !== 'string' || !names.has(name)) return next()
    const { title, html } = await guide(name)
    return send(req, res, title, html)
  }
