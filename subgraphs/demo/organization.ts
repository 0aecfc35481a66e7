import { dayMs, iso } from './calendar.ts'
import { Dice } from './dice.ts'
import type { DemoPerson, Profile } from './profiles.ts'

export interface DemoUser extends DemoPerson {
  readonly id: string
}

/** An organization of the demo on one day: what every generator of its records needs. */
export interface Setting {
  readonly profile: Profile
  readonly organizationId: string
  readonly users: readonly DemoUser[]
  /** The last midnight; nothing in the demo is later, except what is planned. */
  readonly midnightMs: number
  readonly foundedMs: number
}

/** Ids of organizations and users do not depend on the day: whoever starts again knows them. */
const idsMs = Date.UTC(2025, 0, 6)

const historyDays = 760

export const organizationIdOf = ({ code }: Profile): string => new Dice(`organization ${code}`).id(idsMs)

export function settingOf(profile: Profile, midnightMs: number): Setting {
  const dice = new Dice(`users ${profile.code}`)
  return {
    profile,
    organizationId: organizationIdOf(profile),
    users: profile.people.map((person) => ({ ...person, id: dice.id(idsMs) })),
    midnightMs,
    foundedMs: midnightMs - historyDays * dayMs,
  }
}

export const teamNames = ({ people }: Profile): string[] => [...new Set(people.flatMap(({ team }) => team ?? []))]

export const membersOf = ({ users }: Setting, team: string): DemoUser[] => users.filter((user) => user.team === team)

/** Those who own records: everybody but readers. */
export const workers = ({ users }: Setting): DemoUser[] => users.filter(({ role }) => role !== 'READ_ONLY')

/** What every generated record begins with. */
export function stamped(setting: Setting, dice: Dice, createdMs: number, actorId: string) {
  return {
    id: dice.id(createdMs),
    organizationId: setting.organizationId,
    createdAt: iso(createdMs),
    updatedAt: iso(createdMs),
    createdById: actorId,
    updatedById: actorId,
  }
}
