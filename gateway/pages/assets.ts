import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, RequestHandler, Response } from 'express'
import { setSecurityHeaders } from './policy.ts'

/** A flat folder of files served below a path that changes with its content. */
interface Bundle {
  readonly directory: string
  readonly version: string
}

const typeOf: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
}

const fileName = /^\w[\w-]*(?:\.[\w-]+)*$/
const compress = promisify(gzip)

function packageFile(name: string): string {
  const file = findPackageJSON(name, import.meta.url)
  if (!file) throw new Error(`The package ${name} is not installed.`)
  return file
}

/** Words of a package that readers of our pages would not understand, and ours. */
const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'standalone.js': { QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT: 'Your API key', YOUR_SECRET_TOKEN: 'YOUR_API_KEY' },
}

/** The content of a file with our words; their change must change the version of its bundle. */
function withOurWords(file: string, content: Buffer): Buffer {
  const replaced = Object.entries(words[file] ?? {})
  if (replaced.length === 0) return content
  return Buffer.from(replaced.reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), content.toString('utf8')))
}

/** `change` follows the version of the package where we change its files. */
async function packaged(name: string, folder: string, change = ''): Promise<Bundle> {
  const file = packageFile(name)
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string }
  return { directory: join(dirname(file), folder), version: version + change }
}

/** The folder is resolved from the project's root, so that the compiled server serves the same files. */
export const siteDirectory = (): string => join(dirname(packageFile('..')), 'gateway/pages/site')

async function site(): Promise<Bundle> {
  const directory = siteDirectory()
  const digest = createHash('sha256')
  for (const name of (await readdir(directory)).sort())
    digest.update(name).update(await readFile(join(directory, name)))
  return { directory, version: digest.digest('hex').slice(0, 12) }
}

const sources = {
  ruru: () => packaged('ruru', 'static'),
  scalar: () => packaged('@scalar/api-reference', 'dist/browser', '-1'),
  'graphql-ws': () => packaged('graphql-ws', 'dist'),
  site: site,
}

type BundleName = keyof typeof sources

const isBundleName = (name: unknown): name is BundleName => typeof name === 'string' && Object.hasOwn(sources, name)

const opened = new Map<BundleName, Promise<Bundle>>()

/** Opens a bundle when the first page needs it, so that a server without visitors reads none of these files. */
function bundle(name: BundleName): Promise<Bundle> {
  const found = opened.get(name) ?? sources[name]()
  opened.set(name, found)
  return found
}

/** The path of each bundle by its name, used in the pages. */
export async function assetPaths(): Promise<Record<string, string>> {
  const names = Object.keys(sources).filter(isBundleName)
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, `/assets/${name}/${(await bundle(name)).version}`])),
  )
}

type Form = 'gzip' | 'plain'
const formOf = { gzip: (content: Buffer) => compress(content), plain: (content: Buffer) => content }

/** Files cached after their first use. The files of the packages bound its size, and slow clients share the same bytes. */
const cachedFiles = new Map<string, Promise<Buffer>>()

function fileAs(form: Form, path: string): Promise<Buffer> {
  const key = `${form} ${path}`
  const found =
    cachedFiles.get(key) ?? readFile(path).then((content) => formOf[form](withOurWords(basename(path), content)))
  cachedFiles.set(key, found)
  found.catch(() => cachedFiles.delete(key))
  return found
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** `GET /assets/:bundle/:version/:file`. The version is part of the path, so a response never changes and is immutable. */
export const serveAsset: RequestHandler = async (req: Request, res: Response, next) => {
  const { bundle: name, version, file } = req.params
  if (!isBundleName(name) || typeof file !== 'string' || !fileName.test(file)) return next()
  const type = typeOf[extname(file)]
  const { directory, version: current } = await bundle(name)
  if (!type || version !== current) return next()

  const acceptsGzip = req.acceptsEncodings('gzip') === 'gzip'
  try {
    const path = join(directory, file)
    const content = await fileAs(acceptsGzip ? 'gzip' : 'plain', path)
    setSecurityHeaders(res, 'asset')
    if (acceptsGzip) res.set('Content-Encoding', 'gzip')
    res.set({ 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
    res.send(content)
  } catch (error) {
    next(isMissing(error) ? undefined : error)
  }
}
