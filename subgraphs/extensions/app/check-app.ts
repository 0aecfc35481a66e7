import { scopesOfOAuthApp } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { readPackage, type FileProblem, type PackagedComponent } from '../metadata/package.ts'
import { deletionFile, manifestFile } from '../metadata/project-file.ts'
import type { SourceFiles } from '../metadata/source-files.ts'
import type { Manifest } from './manifest.ts'

const problem = (path: string, code: string, message: string, file: string = manifestFile): FileProblem => ({
  file,
  path,
  code,
  message,
})

const includes = (scopes: readonly string[], scope: string): boolean => holdsScope({ kind: 'OAUTH', scopes }, scope)

/** Functions get no scope that the app does not show to who installs it. */
const scopeProblems = (components: readonly PackagedComponent[], { scopes }: Manifest): FileProblem[] =>
  components
    .filter(({ component }) => component.type === 'FUNCTION')
    .flatMap(({ file, content }) =>
      ((content['scopes'] ?? []) as readonly string[]).flatMap((scope, index) =>
        includes(scopes, scope)
          ? []
          : [problem(`scopes.${index}`, 'NOT_ALLOWED', `${scope} must be among the scopes of ${manifestFile}.`, file)],
      ),
    )

async function clientProblems(ctx: RequestContext, { clientId, scopes }: Manifest): Promise<FileProblem[]> {
  if (clientId === null) return []
  const granted = await scopesOfOAuthApp(ctx, clientId)
  if (granted === null)
    return [
      problem('clientId', 'UNKNOWN_REFERENCE', 'clientId must be the id of an OAuth app of your own organization.'),
    ]
  const missing = scopes.filter((scope) => !includes(granted, scope))
  if (missing.length === 0) return []
  const message = `clientId must be an OAuth app that can get all scopes of the app; it lacks ${missing.slice(0, 20).join(', ')}.`
  return [problem('clientId', 'NOT_ALLOWED', message)]
}

/** The components of an app. Refuses files that an organization could not install. */
export async function componentsOfApp(
  ctx: RequestContext,
  files: SourceFiles,
  manifest: Manifest,
): Promise<readonly PackagedComponent[]> {
  const { components, problems } = await readPackage(files, ctx.caller.organizationId)
  const all = [...problems, ...scopeProblems(components, manifest), ...(await clientProblems(ctx, manifest))]
  if (files.has(deletionFile))
    all.push(problem('', 'NOT_ALLOWED', `An app must not have ${deletionFile}.`, deletionFile))
  if (all.length === 0 && components.length + manifest.slots.length === 0 && manifest.clientId === null)
    all.push(problem('', 'EMPTY', 'An app must have at least one component, slot or OAuth app.'))
  if (all.length > 0) throw invalid(...all)
  return components
}
