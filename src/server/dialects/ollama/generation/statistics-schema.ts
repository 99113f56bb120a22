// What the last object of an answer says about it, in generate and chat alike. Durations are nanoseconds.

export interface AnswerStatistics {
  readonly done_reason?: 'stop' | 'length' | 'load' | 'unload';
  readonly total_duration?: number;
  readonly load_duration?: number;
  readonly prompt_eval_count?: number;
  readonly prompt_eval_duration?: number;
  readonly eval_count?: number;
  readonly eval_duration?: number;
}
