(** * What every theorem rests on

    [everything] is a tuple of the theorems with their proofs; Coq prints the axioms below it.
    [make coq] shows them, and a test compares them with the list that is to be expected. *)

From Dporacle Require Import NormalDistribution PrivacyProfile Theorem8 Composition.
From Dporacle Require Import UnboundedWindows Borel Coordinates Accuracy Domains.
From Dporacle Require Import Vinterbo LowPrivacy PrivacyLoss RankOne Conversions Moments Events Shuffled.
From Dporacle Require FastChecker PureChecker Refutations RankOneChecker SamplingChecker Discrete Responses.

Definition everything :=
  (quantile_exists, profile_increasing, profile_decreasing_eps, theorem8, rounds_private,
   rounds_not_private, composition, one_release_private, one_release_not_private, every_dimension, whole_line,
   borel_sets, borel_sets_suffice, cube_probability, loss_of_coordinates, accuracy, expected_loss,
   classical_calibration, dwork_roth_calibration, dwork_2006_calibration, pinsker_calibration,
   concentrated_conversion, plrv_tail, analytic_variance_below, vinterbo_calibration,
   low_privacy, low_privacy_exact,
   loss_tail_value, loss_tail_sufficient, loss_tail_not_necessary,
   inner_ball_lemma, conversion_at_order, zcdp_conversion_at_order,
   gaussian_concentrated, zcdp_not_converted, renyi_not_converted, private_by_moments, dp_sgd_events,
   shuffled_events, Responses.boxes, Responses.reports, Responses.boxes_above_all,
   Responses.reports_above_all,
   PureChecker.private_ok, PureChecker.not_private_ok,
   PureChecker.accurate_ok, PureChecker.not_accurate_ok,
   PureChecker.loss_within_ok, PureChecker.loss_beyond_ok,
   PureChecker.at_most_ok, PureChecker.below_ok).

(** The axioms of the real numbers, and nothing else. *)
Print Assumptions everything.

Definition fast :=
  (FastChecker.private_ok, FastChecker.not_private_ok,
   FastChecker.accurate_ok, FastChecker.not_accurate_ok,
   FastChecker.loss_within_ok, FastChecker.loss_beyond_ok,
   FastChecker.at_most_ok, FastChecker.below_ok,
   tail_definition_refuted, Refutations.third_refuted, Refutations.misquoted_threshold_refuted,
   RankOneChecker.not_private_as_published, RankOneChecker.case_study_refuted,
   renyi_converts, zcdp_converts, SamplingChecker.by_moment_ok, SamplingChecker.by_event_ok,
   SamplingChecker.by_shuffled_event_ok, Discrete.discrete_accurate_ok, Discrete.discrete_inaccurate_ok,
   Discrete.discrete_event_ok, Responses.reports_ok, Responses.not_reports_ok, Responses.boxes_ok,
   Responses.not_boxes_ok).

(** The same, and those of the machine integers. *)
Print Assumptions fast.
