import type { Api } from '../api.ts'
import { apiOf, type Context } from '../context.ts'
import { Failure, ShownFailure } from '../failure.ts'
import { pause } from '../pause.ts'
import { plainLine, plural } from '../plain.ts'
import { positioned, problemLines, type Problem } from '../project/problem.ts'
import { findProject, readProject } from '../project/project.ts'
import type { Screen } from '../screen.ts'
import { passedLine, type TestOutcome } from './test.ts'

interface Deployment {
  readonly id: string
  readonly status: 'PENDING' | 'VALIDATING' | 'TESTING' | 'DEPLOYING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'
  readonly version: string | null
  readonly counts: Readonly<Record<'created' | 'updated' | 'unchanged' | 'deleted', number>> | null
  readonly components: readonly { readonly type: string; readonly name: string; readonly change: string }[]
  /** Servers of before do not run tests. */
  readonly testResults?: readonly TestOutcome[]
  readonly problems: readonly Problem[]
  readonly missingSecrets: readonly { readonly type: string; readonly name: string; readonly secret: string }[]
  readonly warnings: readonly { readonly type: string | null; readonly name: string | null; readonly message: string }[]
}

export interface DeployOptions {
  readonly check?: true
  readonly allowDestructive?: true
  readonly expectedVersion?: string
  /** `none`, `all`, or names of functions and tests. */
  readonly tests?: readonly string[]
}

/** Which tests decide about the deployment, as the API takes it. */
function testsWanted(given: readonly string[] | undefined): object {
  if (!given || (given.length === 1 && given[0] === 'none')) return {}
  if (given.length === 1 && given[0] === 'all') return { testLevel: 'ALL' }
  return { testLevel: 'SPECIFIED', tests: given }
}

const statusTexts = {
  PENDING: 'Waiting for another deployment',
  VALIDATING: 'Comparing the files with the organization',
  TESTING: 'Running tests',
  DEPLOYING: 'Making the changes',
} as const

const firstPauseMs = 100
const pauseMsMax = 2_000
/** How long a server may be away while a deployment is under way. */
const awayMsMax = 60_000

const hasEnded = ({ status }: Deployment): boolean => !(status in statusTexts)

/** Waits for the end of a deployment, which goes on whatever becomes of this program. */
async function ended(api: Api, first: Deployment, say: (text: string) => void): Promise<Deployment> {
  let awaySince: number | null = null
  let current = first
  for (let pauseMs = firstPauseMs; !hasEnded(current); pauseMs = Math.min(pauseMs * 1.5, pauseMsMax)) {
    say(statusTexts[current.status as keyof typeof statusTexts])
    await pause(pauseMs)
    try {
      current = await api.get<Deployment>(`/v1/metadata/deployments/${encodeURIComponent(first.id)}`)
      awaySince = null
    } catch (error) {
      awaySince ??= Date.now()
      if (!(error instanceof Failure) || error.outcome !== 'unreachable' || Date.now() - awaySince > awayMsMax)
        throw error
    }
  }
  return current
}

const signs = { CREATED: ['green', '+'], UPDATED: ['yellow', '~'], DELETED: ['red', '-'] } as const

function componentLines(screen: Screen, { components }: Deployment): string[] {
  return components.flatMap(({ type, name, change }) => {
    const sign = signs[change as keyof typeof signs]
    return sign ? [`${screen.styled(sign[0], sign[1])} ${type} ${plainLine(name)}`] : []
  })
}

/** Deploys the project, or only checks what would happen, and waits for the end. */
export async function deploy(context: Context, options: DeployOptions): Promise<void> {
  const { screen } = context
  const project = await findProject('.')
  const files = await readProject(project)
  const api = await apiOf(context)
  const checkOnly = options.check ?? false
  const body = {
    source: { files },
    checkOnly,
    allowDestructive: options.allowDestructive ?? false,
    ...(options.expectedVersion !== undefined && { expectedVersion: options.expectedVersion }),
    ...testsWanted(options.tests),
  }
  const deployment = await screen.during(`Sending ${plural(Object.keys(files).length, 'file')}`, async (say) => {
    const requested = await api.post<Deployment>('/v1/metadata/deploy', body)
    if (!screen.isJson && !process.stderr.isTTY) screen.note(`Deployment ${requested.id}`)
    return ended(api, requested, say)
  })
  const { status } = deployment
  screen.result({ ...deployment, problems: positioned(deployment.problems, files) }, () => [
    ...(deployment.testResults ?? [])
      .filter((test) => test.status === 'PASSED')
      .map((test) => passedLine(screen, test)),
    ...(status === 'SUCCEEDED' ? componentLines(screen, deployment) : []),
    ...deployment.problems.flatMap((problem) => problemLines(screen, problem, files)),
    ...deployment.warnings.map(
      ({ type, name, message }) =>
        `${screen.styled('yellow', '!')} ${plainLine([type, name].filter(Boolean).join(' '))}: ${plainLine(message)}`,
    ),
    ...deployment.missingSecrets.map(
      ({ type, name, secret }) =>
        `${screen.styled('yellow', '!')} ${type} ${plainLine(name)} has no secret yet: ${plainLine(secret)}.`,
    ),
    conclusionOf(deployment, checkOnly),
  ])
  if (status !== 'SUCCEEDED') throw new ShownFailure('refused', status, 'The deployment has no effect.')
}

function conclusionOf({ id, status, version, counts, problems }: Deployment, checkOnly: boolean): string {
  if (status === 'CANCELLED') return `The deployment ${id} was cancelled. Nothing has changed.`
  if (status === 'FAILED') return `${plural(problems.length, 'problem')}. Nothing has changed. Deployment ${id}`
  const { created = 0, updated = 0, deleted = 0, unchanged = 0 } = counts ?? {}
  const numbers = `${created} created, ${updated} updated, ${deleted} deleted, ${unchanged} unchanged`
  return checkOnly
    ? `Checked: ${numbers}. Nothing has changed. Deployment ${id}`
    : `Deployed: ${numbers}. Version ${version}. Deployment ${id}`
}
