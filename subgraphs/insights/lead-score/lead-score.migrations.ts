import type { Migration } from '../../kernel/database/migrate.ts'

export const leadScoreTables: Migration = {
  name: '20261128-insights-lead-score',
  sql: `
    -- The groups of a lead: one for each fact that is known.
    create function insights.lead_groups(industry text, employees int, title text, country text, source text)
    returns table (fact text, member text) language sql immutable parallel safe as $$
      select * from (values
        ('industry', nullif(left(lower(btrim(industry)), 100), '')),
        ('numberOfEmployees', case when employees <= 10 then '1-10' when employees <= 50 then '11-50' when employees <= 200 then '51-200'
          when employees <= 1000 then '201-1000' when employees > 1000 then '1001+' end),
        ('title', case
          when btrim(title) = '' then null
          when title ~* '\\m(chief|ceo|cfo|coo|cto|cio|cmo|cro|founder|co-founder|owner|president|partner)\\M' and title !~* '\\mvice\\M' then 'EXECUTIVE'
          when title ~* '\\m(vp|svp|evp|vice president|director|head)\\M' then 'DIRECTOR'
          when title ~* '\\m(manager|lead|principal|supervisor)\\M' then 'MANAGER'
          when title is not null then 'OTHER' end),
        ('country', nullif(left(lower(btrim(country)), 100), '')),
        ('leadSource', source)
      ) as groups (fact, member) where member is not null
    $$;
    create table insights.lead_rate (
      organization_id uuid not null,
      -- Empty with an empty member: all closed leads of the organization.
      fact text not null,
      member text not null,
      closed bigint not null,
      converted bigint not null,
      computed_at timestamptz(3) not null,
      primary key (organization_id, fact, member)
    );
  `,
}
