import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Context } from '../context.ts'
import { currentServer, serverUrl } from '../credentials.ts'
import { refusedFailure, usageFailure } from '../failure.ts'
import { fileKinds, schemaUrl } from '../project/file-kinds.ts'
import { deletionFile, manifestFile, projectFile } from '../project/project.ts'

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** The setting by which Visual Studio Code finds the schemas of files that do not name them. */
const editorSettings = (server: string): object => ({
  'json.schemas': [
    ...fileKinds.map(({ type, folder, suffix }) => ({
      fileMatch: [`/src/${folder}/*${suffix}`],
      url: schemaUrl(server, type),
    })),
    { fileMatch: [`/${deletionFile}`], url: schemaUrl(server, 'DESTRUCTIVE_CHANGES') },
    { fileMatch: [`/${manifestFile}`], url: schemaUrl(server, 'APP') },
  ],
})

/** Makes an empty project in a folder, which it makes too. Never writes over a file. */
export async function init(context: Context, folder: string, { name }: { readonly name?: string }): Promise<void> {
  const { screen, environment, url } = context
  const named = url ?? environment.url ?? (await currentServer(environment))
  if (named === null) throw usageFailure('Run crm login first, or name the server with --url, for the schemas.')
  const server = serverUrl(named)
  const root = resolve(folder)
  const title = name ?? (basename(root) || 'project')
  if (title.length > 100) throw usageFailure('The name of a project must have at most 100 characters.')
  await mkdir(root, { recursive: true })
  const found = await readdir(root)
  if (found.includes(projectFile)) throw refusedFailure('EXISTS', `${root} has a ${projectFile} already.`)
  const files: Record<string, string> = {
    [projectFile]: json({ $schema: schemaUrl(server, 'PROJECT'), formatVersion: 1, name: title, sourceDir: 'src' }),
    // Git keeps no empty folders. Files whose name begins with a point are not deployed.
    'src/.gitkeep': '',
    ...(!found.includes('.vscode') && { '.vscode/settings.json': json(editorSettings(server)) }),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true })
    await writeFile(join(root, path), text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  screen.result({ root, name: title, files: Object.keys(files) }, () => [
    `The project ${title} is in ${root}.`,
    '',
    'crm retrieve   fetches what the organization has',
    'crm deploy     deploys the files below src',
  ])
}
