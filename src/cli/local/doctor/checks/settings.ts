// Settings: values that cannot be used. Only names are shown.

import { environmentNames, settingKeys } from '../../../../base/config/settings.ts';
import { type CheckFinding, defineCheck, ok, problem, usualTimeLimit, warning } from '../check.ts';

export interface SettingsFacts {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** Names of variables. */
  readonly given: readonly string[];
}

export const settingsCheck = defineCheck<SettingsFacts>({
  name: 'settings',
  timeLimit: usualTimeLimit,
  async gather({ settingProblems: problems, settingWarnings: warnings, environment }) {
    const names = ['HEARTH_CONFIG', 'HEARTH_API_KEY', ...settingKeys.flatMap(environmentNames)];
    return { problems, warnings, given: names.filter((name) => (environment[name] ?? '') !== '') };
  },
  judge: judgeSettings,
});

export function judgeSettings({ problems, warnings, given }: SettingsFacts): CheckFinding[] {
  const summary = given.length === 0 ? 'no variables are set' : `set by variables: ${given.join(', ')}`;
  return [
    ...problems.map((text) => problem(text, 'correct the value; docs/reference/settings.md lists all settings')),
    ...warnings.map((text) => warning(text, 'correct or remove the variable')),
    ok(summary),
  ];
}
