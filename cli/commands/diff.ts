import { apiOf, type Context } from '../context.ts'
import { ShownFailure } from '../failure.ts'
import { plain, plural } from '../plain.ts'
import { differences, type Difference, type FileSchema } from '../project/comparison.ts'
import { typeOfFile } from '../project/file-kinds.ts'
import { deletionFile, findProject, placed, projectFile, readProject } from '../project/project.ts'
import type { Screen } from '../screen.ts'
import type { Retrieval } from './retrieve.ts'

interface Options {
  readonly exitCode?: true
}

/** Files of the project that are no part of what an organization has. */
const isLocal = (path: string): boolean => path === projectFile || path === deletionFile

/** Compares the project with the organization, which stays as it is. */
export async function diff(context: Context, { exitCode }: Options): Promise<void> {
  const { screen } = context
  const project = await findProject('.')
  const here = Object.fromEntries(Object.entries(await readProject(project)).filter(([path]) => !isLocal(path)))
  const api = await apiOf(context)
  const found = await screen.during('Comparing', async () => {
    const { files, version } = await api.post<Retrieval>('/v1/metadata/retrieve', {})
    const there = placed(project, files)
    const typeOf = (path: string): string | null => typeOfFile(path.slice(project.source.length))
    const types = new Set([...Object.keys(here), ...Object.keys(there)].flatMap((path) => typeOf(path) ?? []))
    const schemas = new Map<string, FileSchema>()
    for (const type of types) schemas.set(type, await api.get<FileSchema>(`/v1/metadata/schemas/${type}`))
    return { version, differences: differences(here, there, (path) => schemas.get(typeOf(path) ?? '') ?? {}) }
  })
  screen.result(found, () => [
    ...found.differences.flatMap((one) => linesOf(screen, one)),
    found.differences.length === 0
      ? 'The project and the organization are the same.'
      : `${plural(found.differences.length, 'file')} different. "-" is the organization, "+" is the project.`,
  ])
  if (exitCode && found.differences.length > 0) throw new ShownFailure('refused', 'DIFFERENT', 'There are differences.')
}

const titles = {
  ONLY_HERE: 'only in the project',
  ONLY_IN_ORGANIZATION: 'only in the organization',
  DIFFERENT: 'different',
} as const

function linesOf(screen: Screen, { path, change, patch }: Difference): string[] {
  const lines = plain(patch).trimEnd().split('\n')
  return [
    screen.styled('bold', `${plain(path)}: ${titles[change]}`),
    ...lines.map((line) => {
      if (line.startsWith('@@')) return screen.styled('cyan', line)
      if (line.startsWith('+')) return screen.styled('green', line)
      return line.startsWith('-') ? screen.styled('red', line) : line
    }),
    '',
  ]
}
