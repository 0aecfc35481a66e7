import type { RequestContext } from '../../kernel/request.ts'

export interface ChartUser {
  readonly id: string
  readonly name: string
  readonly managerId: string | null
  readonly isActive: boolean
  /** An active user with the role MANAGER in the first team of this user that has one; null if there is none. */
  readonly teamManagerId: string | null
}

/** Who reports to whom in the caller's organization, with users who are no longer active, by id. */
export const organizationChart = ({ db, caller }: RequestContext): Promise<ChartUser[]> =>
  db.query<ChartUser & Record<string, unknown>>(
    `select u.id, u.name, u.manager_id as "managerId", u.is_active and u.deleted_at is null as "isActive", t.manager as "teamManagerId"
     from identity.admin_user u
     left join (
       select distinct on (own.user_id) own.user_id, m.id as manager from identity.team_member own
       join identity.team team on team.organization_id = own.organization_id and team.id = own.team_id
       join identity.team_member other on other.organization_id = own.organization_id and other.team_id = own.team_id
         and other.user_id <> own.user_id
       join identity.app_user m on m.organization_id = other.organization_id and m.id = other.user_id
         and m.role = 'MANAGER' and m.is_active and m.left_at is null
       where own.organization_id = $1 order by own.user_id, team.created_at, team.id, m.id
     ) t on t.user_id = u.id
     where u.organization_id = $1 order by u.id`,
    [caller.organizationId],
    'SCAN',
  )
