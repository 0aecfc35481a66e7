import { defaultStages } from '../crm/pipeline/pipeline.migrations.ts'
import type { PipelineStage } from '../crm/pipeline/pipeline.ts'
import { dayMs, iso } from './calendar.ts'
import { Random } from './random.ts'
import type { DemoPerson, Profile } from './profiles.ts'

export interface DemoUser extends DemoPerson {
  readonly id: string
}

/** An organization of the demo on one day: the input of all generators. */
export interface GeneratorInput {
  readonly profile: Profile
  readonly organizationId: string
  readonly users: readonly DemoUser[]
  /** The last midnight. Only planned activities are later. */
  readonly midnightMs: number
  readonly foundedMs: number
  readonly pipelineId: string
  /** The stages of the default pipeline. */
  readonly stages: readonly PipelineStage[]
}

/** The fixed time in the ids of organizations and users, so that the ids are the same on every day. */
const idsMs = Date.UTC(2025, 0, 6)

const historyDays = 760

export const organizationIdOf = ({ code }: Profile): string => new Random(`organization ${code}`).id(idsMs)

export function generatorInputOf(profile: Profile, midnightMs: number): GeneratorInput {
  const random = new Random(`users ${profile.code}`)
  return {
    profile,
    organizationId: organizationIdOf(profile),
    users: profile.people.map((person) => ({ ...person, id: random.id(idsMs) })),
    midnightMs,
    foundedMs: midnightMs - historyDays * dayMs,
    pipelineId: new Random(`pipeline ${profile.code}`).id(idsMs),
    stages: defaultStages,
  }
}

export const teamNames = ({ people }: Profile): string[] => [...new Set(people.flatMap(({ team }) => team ?? []))]

export const membersOf = ({ users }: GeneratorInput, team: string): DemoUser[] =>
  users.filter((user) => user.team === team)

/** The ids of the teams, in the order of `teamNames`, made when the organization was founded. */
const teamIds = ({ profile, foundedMs }: GeneratorInput): string[] => {
  const random = new Random(`teams ${profile.code}`)
  return teamNames(profile).map(() => random.id(foundedMs))
}

export const teamIdOf = (input: GeneratorInput, team: string): string =>
  teamIds(input)[teamNames(input.profile).indexOf(team)]!

/** The id in the address of the logo. */
export const logoIdOf = ({ profile, foundedMs }: GeneratorInput): string =>
  new Random(`logo ${profile.code}`).id(foundedMs)

/** Members report to the manager of their team, everybody else to the owner; the owner reports to nobody. */
export function managerOf({ users }: GeneratorInput, user: DemoUser): DemoUser | null {
  const owner = users.find(({ role }) => role === 'OWNER')!
  const ofTeam = users.find(({ role, team }) => role === 'MANAGER' && team === user.team)
  return user === owner ? null : ofTeam === undefined || ofTeam === user ? owner : ofTeam
}

/** The users who may own records: all except READ_ONLY. */
export const recordOwners = ({ users }: GeneratorInput): DemoUser[] => users.filter(({ role }) => role !== 'READ_ONLY')

/** The fields that every generated record has. */
export function commonFields(input: GeneratorInput, random: Random, createdMs: number, actorId: string | null) {
  return {
    id: random.id(createdMs),
    organizationId: input.organizationId,
    createdAt: iso(createdMs),
    updatedAt: iso(createdMs),
    createdById: actorId,
    updatedById: actorId,
  }
}
