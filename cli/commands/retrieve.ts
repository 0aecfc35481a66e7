import { apiOf, type Context } from '../context.ts'
import { refusedFailure, usageFailure } from '../failure.ts'
import { plainLine, plural } from '../plain.ts'
import { findProject, placed, readProject, samePath, writeFiles, type Files } from '../project/project.ts'

export interface Retrieval {
  readonly version: string
  readonly files: Files
  readonly warnings: readonly { readonly type: string | null; readonly name: string | null; readonly message: string }[]
}

interface Options {
  readonly types?: readonly string[]
  readonly component?: readonly string[]
  readonly force?: true
}

/** `CUSTOM_FIELD:ACCOUNT.tier`. */
function componentNamed(text: string): { type: string; name: string } {
  const at = text.indexOf(':')
  if (at < 1 || at === text.length - 1)
    throw usageFailure(`${text} must be a type and a name: CUSTOM_FIELD:ACCOUNT.tier`)
  return { type: text.slice(0, at), name: text.slice(at + 1) }
}

/** Writes what the organization has defined into the project. Files that would lose something are named first. */
export async function retrieve(context: Context, { types, component, force }: Options): Promise<void> {
  const { screen } = context
  const project = await findProject('.')
  const api = await apiOf(context)
  const request = {
    ...(types && { types }),
    ...(component && { components: component.map(componentNamed) }),
  }
  const { version, files, warnings } = await screen.during('Retrieving', () =>
    api.post<Retrieval>('/v1/metadata/retrieve', request),
  )
  const here = await readProject(project)
  const paths = new Map(Object.keys(here).map((path) => [samePath(path), path]))
  // A file that is there under another spelling of its name keeps it.
  const wanted = Object.fromEntries(
    Object.entries(placed(project, files)).map(([path, text]) => [paths.get(samePath(path)) ?? path, text]),
  )
  const changed = Object.keys(wanted).filter((path) => path in here && here[path] !== wanted[path])
  const created = Object.keys(wanted).filter((path) => !(path in here))
  if (changed.length > 0 && !force) await requireConsent(context, changed)
  await writeFiles(project, Object.fromEntries([...changed, ...created].map((path) => [path, wanted[path]!])))
  for (const { type, name, message } of warnings)
    screen.note(`Warning: ${[type, name].filter(Boolean).join(' ')}: ${plainLine(message)}`)
  const unchanged = Object.keys(wanted).length - changed.length - created.length
  screen.result({ version, created, changed, unchanged, warnings }, () => [
    ...created.map((path) => `${screen.styled('green', '+')} ${plainLine(path)}`),
    ...changed.map((path) => `${screen.styled('yellow', '~')} ${plainLine(path)}`),
    `${plural(created.length, 'new file')}, ${changed.length} changed, ${unchanged} as they were. Version ${version}`,
  ])
}

async function requireConsent({ screen }: Context, changed: readonly string[]): Promise<void> {
  const list = changed.map((path) => `  ${plainLine(path)}`).join('\n')
  if (screen.isInteractive) {
    screen.note(`These files differ from the organization:\n${list}`)
    if (await screen.confirm('Write over them?')) return
  }
  throw refusedFailure(
    'WOULD_OVERWRITE',
    `Nothing was written: ${changed.join(', ')} differ from the organization. crm diff shows how; --force writes over them.`,
  )
}
