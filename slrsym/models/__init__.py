"""Models are stated; order parameters, risk, gradient and descent follow."""

from slrsym.models.model import Model as Model
from slrsym.models.model import model as model
from slrsym.models.statement import Direction as Direction
from slrsym.models.statement import Predictor as Predictor
from slrsym.models.statement import Sequence as Sequence
from slrsym.models.statement import Token as Token
from slrsym.models.statement import logistic as logistic
from slrsym.models.statement import softmax as softmax
