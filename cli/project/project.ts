import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { refusedFailure, usageFailure } from '../failure.ts'
import { syntaxProblem } from './position.ts'

export const projectFile = 'service.project.json'
export const deletionFile = 'destructiveChanges.json'
/** The manifest of an app, which a deployment does not send. */
export const manifestFile = 'app.json'
const filesMax = 5_000

/** The texts of files by their paths in the project, with slashes. */
export type Files = Readonly<Record<string, string>>

/** A folder with a project file. */
export interface Project {
  readonly root: string
  /** The folder of the components, relative to the root, with a slash at its end. */
  readonly source: string
}

const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Text in UTF-8; null for other files. */
async function textOf(path: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** The project to which a folder belongs: that of the nearest project file above. */
export async function findProject(folder: string): Promise<Project> {
  for (let root = resolve(folder); ; root = dirname(root)) {
    if (await exists(join(root, projectFile))) return { root, source: await sourceOf(root) }
    if (dirname(root) === root)
      throw usageFailure(`There is no ${projectFile} in this folder or above. Run crm init to make a project.`)
  }
}

async function sourceOf(root: string): Promise<string> {
  const text = await textOf(join(root, projectFile))
  const problem = text === null ? 'must be text in UTF-8' : syntaxProblem(text)
  if (problem !== null) throw refusedFailure('INVALID_JSON', `${projectFile} ${problem}.`)
  const content = JSON.parse(text!) as { sourceDir?: unknown } | null
  const given = typeof content === 'object' ? (content?.sourceDir ?? 'src') : 'src'
  if (typeof given !== 'string' || !/^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/.test(given) || given.includes('..'))
    throw refusedFailure('WRONG_FORMAT', `sourceDir of ${projectFile} must be a folder of the project, such as src.`)
  return `${given}/`
}

/** What editors and systems put beside the files of a project. */
const isIgnored = (name: string): boolean => name.startsWith('.') || name === 'node_modules' || name === 'Thumbs.db'

async function below(folder: string, found: string[] = []): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (isIgnored(entry.name)) continue
    const path = join(folder, entry.name)
    // Links are not followed: they may lead out of the project.
    if (entry.isDirectory()) await below(path, found)
    else if (entry.isFile()) found.push(path)
    if (found.length > filesMax) throw refusedFailure('TOO_MANY', `A project must have at most ${filesMax} files.`)
  }
  return found
}

/** The files of a project that a deployment sends. */
export async function readProject({ root, source }: Project): Promise<Files> {
  const folder = join(root, source)
  const components = (await exists(folder)) ? await below(folder) : []
  const beside = [projectFile, deletionFile].map((name) => join(root, name))
  const files: Record<string, string> = {}
  for (const path of [...beside, ...components]) {
    if (beside.includes(path) && !(await exists(path))) continue
    const name = relative(root, path).split(sep).join('/')
    const text = await textOf(path)
    if (text === null) throw refusedFailure('NOT_TEXT', `${name} must be text in UTF-8.`)
    files[name] = text
  }
  return files
}

/** The components of an organization, at their paths in this project. The project file stays as it is. */
export function placed({ source }: Project, retrieved: Files): Files {
  const there = 'src/'
  return Object.fromEntries(
    Object.entries(retrieved).flatMap(([path, text]) =>
      path.startsWith(there) ? [[source + path.slice(there.length), text]] : [],
    ),
  )
}

/** A path that is one file wherever the project lies: names may be percent-encoded, and of two forms in Unicode. */
export function samePath(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll(/%(?![\da-f]{2})/gi, '%25')).normalize('NFC')
  } catch {
    return path.normalize('NFC')
  }
}

const isInside = (path: string): boolean =>
  !/[\\\p{Cc}]/u.test(path) && path.split('/').every((part) => part !== '' && !/^\.+$/.test(part))

/** Writes files into a project, and nowhere else. */
export async function writeFiles({ root }: Project, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    if (!isInside(path))
      throw refusedFailure('WRONG_PATH', `The server has sent ${path}, which is no path of a project.`)
    const target = join(root, path)
    await requireRealFolders(root, dirname(target))
    await mkdir(dirname(target), { recursive: true })
    const found = await lstat(target).catch(() => null)
    if (found && !found.isFile()) throw refusedFailure('WRONG_PATH', `${path} is no regular file; remove it first.`)
    await writeFile(target, text)
  }
}

/** A folder that is a link could lead out of the project. */
async function requireRealFolders(root: string, folder: string): Promise<void> {
  for (let at = folder; at !== root && at.startsWith(root); at = dirname(at)) {
    const found = await lstat(at).catch(() => null)
    if (found && !found.isDirectory())
      throw refusedFailure('WRONG_PATH', `${relative(root, at)} is no folder; remove it first.`)
  }
}
